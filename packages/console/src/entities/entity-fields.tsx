import type { Field, OperationEntry, ResourceEntry, Row } from '@edge-controller/operation-tables';
import { isRow } from '@edge-controller/operation-tables';
import { Link } from '@tanstack/react-router';
import { useNames } from '../api/names.ts';
import { useBodyFields } from '../api/tables.ts';
import { titleOf } from '../api/titles.ts';
import { EntityValue, isEmptyValue } from './entity-value.tsx';
import { isSecretName } from './form/field-kind.ts';
import { roleNames } from './references.ts';

interface EntityFieldsProps {
  readonly entry: ResourceEntry;
  readonly entity: Row;
}

/** Objects in objects that are shown as groups; what is deeper is a tree. */
const maxDepth = 3;
const noBody: OperationEntry = { summary: '', method: 'GET', access: 'full', result: 'empty' };

/** The fields of an entity. Secrets are never shown. */
export function EntityFields({ entry: { verbs }, entity }: EntityFieldsProps) {
  const fields = useBodyFields(verbs.create ?? verbs.update ?? verbs.patch ?? noBody);
  return <Members row={entity} fields={fields} path="" depth={0} />;
}

interface MembersProps {
  readonly row: Row;
  readonly fields: readonly Field[];
  /** Where the members stand: `primary.`. */
  readonly path: string;
  readonly depth: number;
}

function Members({ row, fields, path, depth }: MembersProps) {
  const names = Object.keys(row).filter((name) => isShown(name, row));
  const empty = names.filter((name) => isEmptyValue(row[name]));
  return (
    <dl className="entity-fields">
      {names
        .filter((name) => !empty.includes(name))
        .map((name) => (
          <div key={name} className={isGroup(row[name]) && depth < maxDepth ? 'entity-group' : 'entity-field'}>
            <dt>{titleOf(name)}</dt>
            <dd>
              {isGroup(row[name]) && depth < maxDepth ? (
                <Members row={row[name]} fields={fields} path={`${path}${name}.`} depth={depth + 1} />
              ) : (
                <Value row={row} name={name} field={fields.find((field) => field.name === `${path}${name}`)} />
              )}
            </dd>
          </div>
        ))}
      {empty.length > 0 && (
        <div className="entity-field">
          <dt>Not set</dt>
          <dd className="soft">{empty.map(titleOf).join(', ')}</dd>
        </div>
      )}
    </dl>
  );
}

interface ValueProps {
  readonly row: Row;
  readonly name: string;
  readonly field: Field | undefined;
}

function Value({ row, name, field }: ValueProps) {
  const value = row[name];
  const ids = (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string' && one !== '');
  const names = useNames('management', field?.set === 'roles' ? undefined : field?.to, ids);
  if (field?.to === undefined || field.set === 'roles' || ids.length === 0) {
    return <EntityValue value={value} labelOf={roleNames(row[`${name}Display`])} />;
  }
  const { to } = field;
  return (
    <span className="row">
      {ids.map((id) => (
        <Link key={id} to="/entities/$resource/$id" params={{ resource: to, id }}>
          {names.get(id) ?? id}
        </Link>
      ))}
    </span>
  );
}

/** The id of a reference is shown with its name, and roles are shown with theirs. */
function isShown(name: string, row: Row): boolean {
  if (name === '_links' || name === 'id' || isSecretName(name)) return false;
  if (name.endsWith('Display') && Array.isArray(row[name])) return false;
  return !(name.endsWith('Id') && isRow(row[name.slice(0, -2)]));
}

function isGroup(value: unknown): value is Row {
  return isRow(value) && !isEmptyValue(value) && !(typeof value.id === 'string' && typeof value.name === 'string');
}
