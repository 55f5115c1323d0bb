import type { Field, Row } from '@edge-controller/operation-tables';
import { isRow, valueAt, withValueAt } from '@edge-controller/operation-tables';
import type { Draft, Drafts, EntriesDraft } from './draft.ts';
import { draftOf, isEmptyDraft, isEntriesDraft, isFormDraft, readDraft } from './draft.ts';
import { kindOf } from './field-kind.ts';
import { fieldsOfKind } from './fields-of-kind.ts';
import type { ReadDraft } from './read-json.ts';

/** What is wrong, by the name of the field. */
export type FieldErrors = Readonly<Record<string, string>>;

export interface ReadBody {
  readonly body: Row;
  readonly errors: FieldErrors;
}

/** The drafts of a form for an entity, or of an empty form. */
export function draftsOf(fields: readonly Field[], entity: Row = {}): Drafts {
  return Object.fromEntries(
    fields.map((field) => {
      const kind = kindOf(field, fields);
      const value = valueAt(entity, field.name);
      if (kind === 'entries') return [field.name, entriesOf(field, value)];
      const draft = draftOf(kind, value);
      // A check box has no third state.
      return [field.name, draft ?? field.safe?.value ?? (field.isRequired ? false : undefined)];
    }),
  );
}

function entriesOf({ items = [] }: Field, value: unknown): EntriesDraft {
  const rows = Array.isArray(value) ? value : [];
  return { entries: rows.map((row, key) => ({ key, drafts: draftsOf(items, isRow(row) ? row : {}) })) };
}

/** All members that are set. */
export function readAll(all: readonly Field[], drafts: Drafts): ReadBody {
  const fields = fieldsOfKind(all, drafts);
  return collect(fields, drafts, (field, draft) => {
    if (!isEmptyDraft(draft)) return readField(field, fields, draft);
    if (field.ifEmpty !== undefined) return { value: field.ifEmpty };
    if (!mustBeThere(field, fields, drafts)) return {};
    const kind = kindOf(field, fields);
    if (kind === 'group') return { value: {} };
    return ['list', 'map', 'entries', 'schema'].includes(kind)
      ? readField(field, fields, draft)
      : { error: 'This is required.' };
  });
}

/** The members that differ from what the form showed at first, and those that every request must have. */
export function readChanges(all: readonly Field[], drafts: Drafts, first: Drafts): ReadBody {
  const fields = fieldsOfKind(all, drafts);
  return collect(fields, drafts, (field, draft) => {
    const isSame = JSON.stringify(draft) === JSON.stringify(first[field.name]);
    if (isSame && !field.isRequired && !field.schema) return {};
    const read = readField(field, fields, draft);
    if (read.value !== undefined || read.error !== undefined) return read;
    // The controller takes no value for the same as one that was not sent.
    return isTextual(field, fields) ? { value: '' } : { error: 'A value that is set can be changed, but not removed.' };
  });
}

/** The field that an error of the controller names: itself, or the one that has the named member, such as `processes.0.path`. */
export function fieldNamed(fields: readonly Field[], name: string): string | null {
  const holders = fields.filter(({ name: own }) => name === own || name.startsWith(`${own}.`));
  const [holder] = holders.toSorted((one, other) => other.name.length - one.name.length);
  if (holder === undefined) return null;
  const [, at = '', member = ''] = /^\.(\d+)\.(.+)$/.exec(name.slice(holder.name.length)) ?? [];
  const inner = fieldNamed(holder.items ?? [], member);
  return inner === null ? holder.name : memberOf(holder, at, inner);
}

/** How a member of an entry is called. */
function memberOf({ name }: Field, at: number | string, member: string): string {
  return `${name}.${at}.${member}`;
}

function collect(fields: readonly Field[], drafts: Drafts, read: (field: Field, draft: Draft) => ReadField): ReadBody {
  let body: Row = {};
  let errors: FieldErrors = {};
  for (const field of fields) {
    const { value, error, inner } = read(field, drafts[field.name]);
    errors = { ...errors, ...inner, ...(error !== undefined && { [field.name]: error }) };
    if (value !== undefined) body = withValueAt(body, field.name, value);
  }
  return { body, errors };
}

interface ReadField extends ReadDraft {
  /** What is wrong in the fields of the objects in a field. */
  readonly inner?: FieldErrors;
}

function readField(field: Field, fields: readonly Field[], draft: Draft): ReadField {
  if (isFormDraft(draft)) {
    const { body, errors } = readAll(draft.fields, draft.drafts);
    return { value: valueAt(body, field.name) ?? {}, inner: errors };
  }
  if (isEntriesDraft(draft)) return readEntries(field, draft);
  const kind = kindOf(field, fields);
  return kind === 'group' ? {} : readDraft(field, kind, draft);
}

function readEntries(field: Field, { entries }: EntriesDraft): ReadField {
  const read = entries.map(({ drafts }) => readAll(field.items ?? [], drafts));
  const wrong = read.flatMap(({ errors }, at) =>
    Object.entries(errors).map(([member, error]) => [memberOf(field, at, member), error] as const),
  );
  return { value: read.map(({ body }) => body), inner: Object.fromEntries(wrong) };
}

/** A member of a group that is not required is required only when the group has another member. */
function mustBeThere({ name, isRequired }: Field, fields: readonly Field[], drafts: Drafts): boolean {
  if (!isRequired) return false;
  const groups = fields.filter((field) => name.startsWith(`${field.name}.`));
  return groups.every(
    (group) =>
      group.isRequired ||
      fields.some((field) => field.name.startsWith(`${group.name}.`) && !isEmptyDraft(drafts[field.name])),
  );
}

function isTextual(field: Field, fields: readonly Field[]): boolean {
  return ['text', 'long-text', 'reference', 'secret'].includes(kindOf(field, fields));
}
