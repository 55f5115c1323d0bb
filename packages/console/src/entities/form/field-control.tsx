import { Checkbox } from '../../ui/checkbox.tsx';
import { Select } from '../../ui/select.tsx';
import { TextField } from '../../ui/text-field.tsx';
import type { FieldKind } from './field-kind.ts';
import type { FieldProps } from './field-props.ts';
import { ListField } from './list-field.tsx';
import { MapField } from './map-field.tsx';
import { ReferenceField } from './reference-field.tsx';

const longRows = 6;
const notSet = { id: '', label: 'Not set' };

/** The control of one field. */
export function FieldControl({ kind, ...props }: FieldProps & { readonly kind: FieldKind }) {
  switch (kind) {
    case 'boolean':
      return <BooleanField {...props} />;
    case 'choice':
      return <ChoiceField {...props} />;
    case 'reference':
      return <ReferenceField {...props} />;
    case 'list':
      return <ListField {...props} />;
    case 'map':
      return <MapField {...props} />;
    default:
      return <TypedField {...props} kind={kind} />;
  }
}

function TypedField({
  kind,
  field,
  draft,
  onChange,
  label,
  description,
  error,
  isRequired,
}: FieldProps & { readonly kind: FieldKind }) {
  const isLong = kind === 'json' || kind === 'long-text';
  return (
    <TextField
      {...{ label, error, isRequired }}
      name={field.name}
      description={kind === 'json' ? [description, 'As JSON.'].filter(Boolean).join(' ') : description}
      value={typeof draft === 'string' ? draft : ''}
      onChange={onChange}
      autoComplete={kind === 'secret' ? 'new-password' : 'off'}
      {...(isLong && { rows: longRows })}
      {...(kind === 'number' && { inputMode: 'numeric' as const })}
      {...(kind === 'date' && { type: 'datetime-local' })}
      {...(kind === 'secret' && { type: 'password' })}
    />
  );
}

function ChoiceField({ field, draft, onChange, isKept, ...props }: FieldProps) {
  const values = (field.values ?? []).map((value) => ({ id: value, label: value }));
  return (
    <Select
      {...props}
      options={field.isRequired || isKept ? values : [notSet, ...values]}
      value={typeof draft === 'string' ? draft : ''}
      onChange={onChange}
    />
  );
}

const answers = [
  { id: 'true', label: 'Yes' },
  { id: 'false', label: 'No' },
];

/** A check box where there is no third state. */
function BooleanField({ field: { safe }, draft, onChange, label, description, error, isRequired, isKept }: FieldProps) {
  const warning = safe && (
    <span className="warning" role="status">
      {draft === safe.value ? '' : safe.otherwise}
    </span>
  );
  if (!isRequired && !isKept) {
    return (
      <>
        <Select
          {...{ label, description, error }}
          options={[notSet, ...answers]}
          value={draft === undefined ? '' : String(draft)}
          onChange={(id) => onChange(id === '' ? undefined : id === 'true')}
        />
        {warning}
      </>
    );
  }
  return (
    <div className="field">
      <Checkbox isSelected={draft === true} isInvalid={error !== undefined} onChange={onChange}>
        {label}
      </Checkbox>
      {description && <span className="description">{description}</span>}
      {warning}
      {error !== undefined && <span className="error">{error}</span>}
    </div>
  );
}
