import type { ApiName, Field, Row } from '@edge-controller/operation-tables';
import { titleOf } from '../../api/titles.ts';
import type { Draft, Drafts } from './draft.ts';
import { isEmptyDraft } from './draft.ts';
import { EntriesField } from './entries-field.tsx';
import { FieldControl } from './field-control.tsx';
import { kindOf } from './field-kind.ts';
import type { FieldProps } from './field-props.ts';
import { descriptionOf, isNeeded } from './field-text.ts';
import { fieldsOfKind } from './fields-of-kind.ts';
import './form.css';
import type { FieldErrors } from './read-body.ts';
import { RoleMatches } from './role-matches.tsx';
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

interface MembersProps extends FieldsFormProps {
  readonly group: string;
}

function Members({ group, ...props }: MembersProps) {
  const members = props.fields.filter(({ name }) => groupOf(name, props.fields) === group);
  return members.map((field) => <Member key={field.name} {...props} {...{ group, field }} />);
}

function Member({ group, field, ...props }: MembersProps & { readonly field: Field }) {
  const { fields, errors, placeOf } = props;
  const kind = kindOf(field, fields);
  const label = titleOf(group === '' ? field.name : field.name.slice(group.length + 1));
  const description = descriptionOf(field);
  const error = errors[field.name];
  if (kind === 'group') {
    return (
      <fieldset id={placeOf(field.name)} className="field-group">
        <legend>{label}</legend>
        {description && <p className="description">{description}</p>}
        {error !== undefined && <p className="error">{error}</p>}
        <Members {...props} group={field.name} />
      </fieldset>
    );
  }
  const control = {
    ...{ field, label, description, error, api: props.api, resource: props.resource },
    draft: props.drafts[field.name],
    onChange: (draft: Draft) => props.onChange(field.name, draft),
    isRequired: isNeeded(field),
    isKept: props.kept !== undefined && !isEmptyDraft(props.kept[field.name]),
  };
  return (
    <div id={placeOf(field.name)}>
      {kind === 'schema' || kind === 'entries' ? (
        <InnerForms {...{ control, field }} form={props} />
      ) : (
        <FieldControl kind={kind} {...control} />
      )}
      {field.set === 'roles' && <RoleMatches {...{ field }} api={props.api} drafts={props.drafts} />}
    </div>
  );
}

interface InnerFormsProps {
  readonly control: FieldProps;
  readonly field: Field;
  /** The form around them. */
  readonly form: FieldsFormProps;
}

/** The form of an object that a JSON schema describes, or one for each object of a list. */
function InnerForms({ control, field, form }: InnerFormsProps) {
  if (field.schema) {
    const { by } = field.schema;
    return (
      <SchemaField {...control} describedBy={String(form.drafts[by] ?? form.entity?.[by] ?? '')}>
        {(inner) => (
          <FieldsForm
            {...form}
            {...inner}
            kept={undefined}
            onChange={(name, draft) => control.onChange({ ...inner, drafts: { ...inner.drafts, [name]: draft } })}
          />
        )}
      </SchemaField>
    );
  }
  return (
    <EntriesField {...control}>
      {({ drafts, at, onChange }) => (
        <FieldsForm
          {...form}
          {...{ drafts, onChange }}
          fields={field.items ?? []}
          kept={undefined}
          errors={errorsIn(form.errors, `${field.name}.${at}.`)}
          placeOf={(name) => form.placeOf(`${field.name}.${at}.${name}`)}
        />
      )}
    </EntriesField>
  );
}

/** The errors of the members of an entry, by the names that they have in it. */
function errorsIn(errors: FieldErrors, entry: string): FieldErrors {
  const own = Object.entries(errors).filter(([name]) => name.startsWith(entry));
  return Object.fromEntries(own.map(([name, error]) => [name.slice(entry.length), error]));
}

/** The innermost group that has the field; empty for a field of the form itself. */
function groupOf(name: string, fields: readonly Field[]): string {
  const groups = fields.filter((field) => name.startsWith(`${field.name}.`)).map((field) => field.name);
  return groups.toSorted((one, other) => other.length - one.length)[0] ?? '';
}
