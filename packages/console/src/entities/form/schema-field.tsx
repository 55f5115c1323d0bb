import { isRow } from '@edge-controller/operation-tables';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { useMemo, useState } from 'react';
import { callOf } from '../../api/calls.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/text-field.tsx';
import type { FormDraft } from './draft.ts';
import { isFormDraft, isMapDraft } from './draft.ts';
import type { FieldProps } from './field-props.ts';
import { mapDraftOf } from './map-draft.ts';
import { MapField } from './map-field.tsx';
import { fieldsOfSchema } from './schema-fields.ts';
import { formOf, objectOf } from './schema-form.ts';

const jsonRows = 10;

interface SchemaFieldProps extends FieldProps {
  /** The id of the entity that has the schema. Empty: none yet. */
  readonly describedBy: string;
  /** The fields of the form. */
  readonly children: (form: FormDraft) => ReactNode;
}

/** An object with the fields of its JSON schema, or as JSON. Without a schema: keys and values. */
export function SchemaField({ describedBy, children, ...props }: SchemaFieldProps) {
  const { api, field, draft, onChange, label, description, error } = props;
  const { to = '', member = '' } = field.schema ?? {};
  const { data, isLoading } = useQuery({
    queryKey: ['entity', api, to, describedBy],
    queryFn: () => callOf(api, to, 'get')(describedBy),
    enabled: describedBy !== '',
  });
  const schema = isRow(data) ? data[member] : undefined;
  const fields = useMemo(() => fieldsOfSchema(schema, field), [schema, field]);
  const [isJson, setIsJson] = useState(false);
  if (isLoading) return <p className="soft">Loading …</p>;

  const value = objectOf(field, draft);
  if (!schema) return <MapField {...props} draft={isMapDraft(draft) ? draft : mapDraftOf(value)} />;
  const form = isFormDraft(draft) && draft.fields === fields ? draft : formOf(fields, field, value);
  const asJson = JSON.stringify(value, undefined, 2);
  if (form !== null && !isJson) {
    return (
      <>
        {children(form)}
        <EditAs
          {...{ label }}
          what="JSON"
          onPress={() => {
            setIsJson(true);
            onChange({ rows: [], json: asJson });
          }}
        />
      </>
    );
  }
  return (
    <>
      <TextField
        label={`${label} as JSON`}
        description={description}
        value={isMapDraft(draft) && draft.json !== null ? draft.json : asJson}
        onChange={(json) => {
          setIsJson(true);
          onChange({ rows: [], json });
        }}
        rows={jsonRows}
        error={error}
      />
      {fields !== null && (
        <EditAs
          {...{ label }}
          what="a form"
          isDisabled={form === null}
          onPress={() => {
            setIsJson(false);
            if (form !== null) onChange(form);
          }}
        />
      )}
    </>
  );
}

interface EditAsProps {
  readonly what: 'JSON' | 'a form';
  readonly label: string;
  readonly isDisabled?: boolean;
  readonly onPress: () => void;
}

function EditAs({ what, label, isDisabled = false, onPress }: EditAsProps) {
  return (
    <div className="row">
      <Button kind="quiet" aria-label={`Edit as ${what}: ${label}`} isDisabled={isDisabled} onPress={onPress}>
        Edit as {what}
      </Button>
    </div>
  );
}
