import { useId } from 'react';
import { Group } from 'react-aria-components';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/text-field.tsx';
import { isMapDraft } from './draft.ts';
import type { FieldProps } from './field-props.ts';
import type { MapDraft } from './map-draft.ts';
import { mapDraftOf, otherView } from './map-draft.ts';

const jsonRows = 10;

/** Keys and values, as rows or as JSON. */
export function MapField({ draft, onChange, label, description, error }: FieldProps) {
  const labelId = useId();
  const map: MapDraft = isMapDraft(draft) ? draft : mapDraftOf(undefined);
  const other = otherView(map);
  return (
    <Group className="field map-field" aria-labelledby={labelId} isInvalid={error !== undefined}>
      <span className="label" id={labelId}>
        {label}
      </span>
      {description && <span className="description">{description}</span>}
      {map.json === null ? (
        <MapRows map={map} onChange={onChange} label={label} />
      ) : (
        <TextField
          label={`${label} as JSON`}
          value={map.json}
          onChange={(json) => onChange({ ...map, json })}
          rows={jsonRows}
          error={error}
        />
      )}
      {error !== undefined && map.json === null && <span className="error">{error}</span>}
      <div className="row">
        {map.json === null && (
          <Button
            aria-label={`Add a row to ${label}`}
            onPress={() => onChange({ ...map, rows: [...map.rows, { key: '', text: '' }] })}
          >
            Add a row
          </Button>
        )}
        <Button
          kind="quiet"
          isDisabled={other === null}
          aria-label={map.json === null ? `Edit as JSON: ${label}` : `Edit as rows: ${label}`}
          onPress={() => other && onChange(other)}
        >
          {map.json === null ? 'Edit as JSON' : 'Edit as rows'}
        </Button>
      </div>
    </Group>
  );
}

interface MapRowsProps {
  readonly map: MapDraft;
  readonly onChange: (map: MapDraft) => void;
  readonly label: string;
}

function MapRows({ map, onChange, label }: MapRowsProps) {
  const { rows } = map;
  const change = (at: number, part: object) =>
    onChange({ ...map, rows: rows.map((row, index) => (index === at ? { ...row, ...part } : row)) });
  return rows.map((row, at) => {
    const number = at + 1;
    return (
      <div className="map-row" key={number}>
        <TextField label={`Key ${number}`} value={row.key} onChange={(key) => change(at, { key })} />
        <TextField label={`Value ${number}`} value={row.text} onChange={(text) => change(at, { text })} />
        <Button
          kind="quiet"
          aria-label={`Remove row ${number} of ${label}`}
          onPress={() => onChange({ ...map, rows: rows.filter((_row, index) => index !== at) })}
        >
          <span aria-hidden="true">✕</span>
        </Button>
      </div>
    );
  });
}
