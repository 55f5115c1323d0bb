import { isRow, textOf } from '@edge-controller/operation-tables';
import { Link } from '@tanstack/react-router';
import { exactMomentText } from '../../api/moments.ts';
import { useTable } from '../../api/tables.ts';
import { JsonTree } from '../../ui/json-tree.tsx';
import { referenceOf } from './references.ts';

/** Elements of a list that are shown. */
const maxChips = 100;

/** A value of an entity, as a person reads it. `labelOf`: the name of an element of a list. */
export function EntityValue({
  value,
  labelOf,
}: {
  readonly value: unknown;
  readonly labelOf?: (text: string) => string;
}) {
  const table = useTable('management');
  if (isEmptyValue(value)) return <span className="soft">None</span>;
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'number') return value.toLocaleString();
  if (isTime(value)) {
    return (
      <time dateTime={value} title={value}>
        {exactMomentText(value)}
      </time>
    );
  }
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) {
    return <Chips texts={value.map((one) => labelOf?.(textOf(one)) ?? textOf(one))} />;
  }
  const reference = referenceOf(value, table);
  if (reference !== null) {
    const { resource, id, name } = reference;
    return (
      <Link to="/entities/$resource/$id" params={{ resource, id }}>
        {name}
      </Link>
    );
  }
  if (typeof value !== 'object') return <span className="entity-text">{textOf(value)}</span>;
  return isRow(value) && typeof value.name === 'string' && value.id !== undefined ? (
    value.name
  ) : (
    <JsonTree value={value} />
  );
}

function Chips({ texts }: { readonly texts: readonly string[] }) {
  return (
    <span className="row">
      {texts.slice(0, maxChips).map((text) => (
        <span className="badge" key={text}>
          {text}
        </span>
      ))}
      {texts.length > maxChips && <span className="soft">and {(texts.length - maxChips).toLocaleString()} more</span>}
    </span>
  );
}

export function isEmptyValue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === null || value === undefined || value === '' || (isRow(value) && Object.keys(value).length === 0);
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/.test(value);
}
