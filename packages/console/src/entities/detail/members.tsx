import type { Field, Row } from '@edge-controller/operation-tables';
import { isRow } from '@edge-controller/operation-tables';
import { Link } from '@tanstack/react-router';
import { useNames } from '../../api/names.ts';
import { titleOf } from '../../api/titles.ts';
import './entity.css';
import { isSecretName } from '../form/field-kind.ts';
import { RowsTable } from '../list/rows-table.tsx';
import { roleNames } from './references.ts';
import { EntityValue, isEmptyValue } from './value.tsx';

/** Objects in objects that are shown as groups; what is deeper is a tree. */
const maxDepth = 3;

interface EntityMembersProps {
  readonly row: Row;
  /** What is known of the members. */
  readonly fields: readonly Field[];
  readonly isShown: (name: string, row: Row) => boolean;
  /** Where the members stand: `primary.`. */
  readonly path?: string;
  readonly depth?: number;
}

/** The members of an object, as a person reads them. Objects in it are groups, and lists of objects are tables. */
export function EntityMembers({ row, fields, isShown, path = '', depth = 0 }: EntityMembersProps) {
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
                <EntityMembers row={row[name]} {...{ fields, isShown }} path={`${path}${name}.`} depth={depth + 1} />
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
  const rows = rowsOf(value);
  const names = useNames('management', field?.set === 'roles' ? undefined : field?.to, ids);
  if (rows !== null) return <RowsTable label={titleOf(name)} columns={columnsOf(rows)} rows={rows} />;
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

/** Whether no other member shows the same: the id of a reference is shown with its name, and roles are shown with theirs. */
export function isOwnMember(name: string, row: Row): boolean {
  if (name === '_links') return false;
  if (name.endsWith('Display') && Array.isArray(row[name])) return false;
  return !(name.endsWith('Id') && isRow(row[name.slice(0, -2)]));
}

/** The objects of a list that a table can show; otherwise `null`. */
function rowsOf(value: unknown): readonly Row[] | null {
  if (!Array.isArray(value) || value.length === 0 || !value.every(isRow)) return null;
  return value.some((row) => Object.keys(row).some(isSecretName)) ? null : value;
}

function columnsOf(rows: readonly Row[]): readonly string[] {
  const names = new Set(rows.flatMap((row) => Object.keys(row)));
  // The name of a reference leads to what it refers to.
  const hidden = names.has('name') ? ['_links', 'id', 'entity'] : ['_links'];
  return [...names].filter((name) => !hidden.includes(name));
}

function isGroup(value: unknown): value is Row {
  return isRow(value) && !isEmptyValue(value) && !(typeof value.id === 'string' && typeof value.name === 'string');
}
