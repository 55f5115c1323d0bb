import type { ApiName, Field, Row } from '@edge-controller/operation-tables';
import { titleOf } from '../../api/titles.ts';
import type { Draft, Drafts } from './draft.ts';
import { isEmptyDraft } from './draft.ts';
import { FieldControl } from './field-control.tsx';
import { kindOf } from './field-kind.ts';
import { fieldsOfKind } from './fields-of-kind.ts';
import './form.css';
import type { FieldErrors } from './read-body.ts';
import { SchemaField } from './schema-field.tsx';

export interface FieldsFormProps {
  readonly api: ApiName;
  readonly resource: string;
  readonly fields: readonly Field[];
  readonly drafts: Drafts;
  /** What is changed. */
  readonly entity?: Row | undefined;
  /** What the controller has, when only changes are sent. */
  readonly kept?: Drafts | undefined;
  readonly errors: FieldErrors;
  /** The id of the place of a field. */
  readonly placeOf: (name: string) => string;
  readonly onChange: (name: string, draft: Draft) => void;
}

/** The controls of all fields. Groups of members stand in frames. */
export function FieldsForm(props: FieldsFormProps) {
  const own = fieldsOfKind(props.fields, props.drafts);
  // The kind of an entity never changes.
  const fields = props.kept ? own.filter(({ name }) => !own.some(({ kinds }) => kinds?.by === name)) : own;
  return <Members {...props} fields={fields} group="" />;
}

function Members({ group, ...props }: FieldsFormProps & { readonly group: string }) {
  const { fields, errors, placeOf } = props;
  const members = fields.filter(({ name }) => groupOf(name, fields) === group);
  return members.map((field) => {
    const kind = kindOf(field, fields);
    const label = titleOf(group === '' ? field.name : field.name.slice(group.length + 1));
    const description = plainText(field.about);
    const control = {
      ...{ field, label, description, api: props.api, resource: props.resource },
      draft: props.drafts[field.name],
      onChange: (draft: Draft) => props.onChange(field.name, draft),
      error: errors[field.name],
      isRequired: field.isRequired === true,
      isKept: props.kept !== undefined && !isEmptyDraft(props.kept[field.name]),
    };
    if (field.schema) {
      const { by } = field.schema;
      return (
        <div key={field.name} id={placeOf(field.name)}>
          <SchemaField {...control} describedBy={String(props.drafts[by] ?? props.entity?.[by] ?? '')}>
            {(form) => (
              <FieldsForm
                {...props}
                {...form}
                kept={undefined}
                onChange={(name, draft) => control.onChange({ ...form, drafts: { ...form.drafts, [name]: draft } })}
              />
            )}
          </SchemaField>
        </div>
      );
    }
    if (kind !== 'group') {
      return (
        <div key={field.name} id={placeOf(field.name)}>
          <FieldControl kind={kind} {...control} />
        </div>
      );
    }
    return (
      <fieldset key={field.name} id={placeOf(field.name)} className="field-group">
        <legend>{label}</legend>
        {description && <p className="description">{description}</p>}
        {errors[field.name] !== undefined && <p className="error">{errors[field.name]}</p>}
        <Members {...props} group={field.name} />
      </fieldset>
    );
  });
}

/** The innermost group that has the field; empty for a field of the form itself. */
function groupOf(name: string, fields: readonly Field[]): string {
  const groups = fields.filter((field) => name.startsWith(`${field.name}.`)).map((field) => field.name);
  return groups.toSorted((one, other) => other.length - one.length)[0] ?? '';
}

/** A text of the contract without its marks for code. */
export function plainText(about: string | undefined): string | undefined {
  return about?.replaceAll('`', '');
}
