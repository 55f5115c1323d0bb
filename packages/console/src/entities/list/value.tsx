import type { Field, Row } from '@edge-controller/operation-tables';
import { isRow, textOf, valueAt } from '@edge-controller/operation-tables';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { momentText } from '../../api/moments.ts';
import { CopyIconButton } from '../../ui/copy-icon-button.tsx';
import { resourceOfReference } from './references.ts';
import { isTime } from './request.ts';

/** Elements of a list that a cell shows. */
const maxChips = 4;
/** Characters of an id that a cell shows. */
const idLength = 12;

export interface ListValueProps {
  readonly row: Row;
  /** Where the value stands: `authPolicy.name`. */
  readonly column: string;
  /** What is known of the column, when it can be written. */
  readonly field?: Field | undefined;
}

/** A value of a row, as a person reads it. */
export function ListValue({ row, column, field }: ListValueProps): ReactNode {
  const value = valueAt(row, column);
  if (value === null || value === undefined || value === '') return <Nothing />;
  if (Array.isArray(value)) return <Chips values={value} shown={valueAt(row, `${column}Display`)} field={field} />;
  if (typeof value === 'boolean') return value ? 'Yes' : <span className="soft">No</span>;
  if (typeof value === 'number') return <span className="number">{value.toLocaleString()}</span>;
  if (isTime(value)) return <Time value={value} />;
  const reference = referenceOf(row, column, field);
  if (reference !== null) {
    return <ReferenceLink {...reference}>{column.endsWith('.name') ? String(value) : shortened(value)}</ReferenceLink>;
  }
  if (column === 'id' || column.endsWith('Id')) return <Id value={String(value)} />;
  const text = textOf(value);
  return <span title={text}>{text}</span>;
}

function Nothing() {
  return (
    <span className="soft" role="img" aria-label="Nothing">
      –
    </span>
  );
}

function Time({ value }: { readonly value: string }) {
  return (
    <time dateTime={value} title={value}>
      {momentText(value)}
    </time>
  );
}

function Id({ value }: { readonly value: string }) {
  return (
    <span className="short-id">
      <code title={value}>{shortened(value)}</code>
      <CopyIconButton text={value} name={`Copy the id ${value}`} />
    </span>
  );
}

function shortened(value: unknown): string {
  const text = String(value);
  return text.length > idLength ? `${text.slice(0, idLength)}…` : text;
}

interface Reference {
  readonly resource: string;
  readonly id: string;
}

function ReferenceLink({ resource, id, children }: Reference & { readonly children: ReactNode }) {
  return (
    <Link to="/entities/$resource/$id" params={{ resource, id }} title={id}>
      {children}
    </Link>
  );
}

/** The entity that a value names: `authPolicy` of `authPolicy.name` and `authPolicyId`, or what the field refers to. */
function referenceOf(row: Row, column: string, field: Field | undefined): Reference | null {
  const value = valueAt(row, column);
  if (field?.to !== undefined && !field.isList) return { resource: field.to, id: String(value) };
  const base = column.endsWith('.name') ? column.slice(0, -'.name'.length) : column.replace(/Id$/, '');
  const entity = base === column ? null : valueAt(row, base);
  if (!isRow(entity) || typeof entity.id !== 'string' || typeof entity.entity !== 'string') return null;
  return { resource: resourceOfReference(entity.entity), id: entity.id };
}

interface ChipsProps {
  readonly values: readonly unknown[];
  /** The roles with the names of what they refer to. */
  readonly shown: unknown;
  readonly field: Field | undefined;
}

function Chips({ values, shown, field }: ChipsProps) {
  if (values.length === 0) return <Nothing />;
  const names = new Map(
    Array.isArray(shown) ? shown.filter(isRow).map(({ role, name }) => [String(role), String(name)]) : [],
  );
  const texts = values.map((value) => names.get(textOf(value)) ?? textOf(value));
  const more = values.length - maxChips;
  return (
    <span className="chips" title={more > 0 ? texts.join(', ') : undefined}>
      {values.slice(0, maxChips).map((value, at) => {
        const id = idOf(textOf(value), field);
        return (
          <span className="chip" key={textOf(value)}>
            {id === null || field?.to === undefined ? (
              texts[at]
            ) : (
              <ReferenceLink resource={field.to} id={id}>
                {texts[at]}
              </ReferenceLink>
            )}
          </span>
        );
      })}
      {more > 0 && <span className="soft">+{more.toLocaleString()}</span>}
    </span>
  );
}

/** The id that an element of a set names. */
function idOf(text: string, field: Field | undefined): string | null {
  if (field?.set === 'ids') return text;
  return field?.set === 'roles' && text.startsWith('@') ? text.slice(1) : null;
}
