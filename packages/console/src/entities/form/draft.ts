import type { Field } from '@edge-controller/operation-tables';
import { isRow } from '@edge-controller/operation-tables';
import type { FieldKind } from './field-kind.ts';
import type { MapDraft } from './map-draft.ts';
import { mapDraftOf, readMap } from './map-draft.ts';
import type { ReadDraft } from './read-json.ts';
import { readJson } from './read-json.ts';

/** What a person has typed or chosen for a field; `undefined` and an empty text mean that it is not set. */
export type Draft = string | boolean | readonly string[] | MapDraft | FormDraft | EntriesDraft | undefined;

/** What a person has typed or chosen, by the name of the field. */
export type Drafts = Readonly<Record<string, Draft>>;

/** What a person has typed or chosen in the fields of an object that a JSON schema describes. */
export interface FormDraft {
  readonly fields: readonly Field[];
  readonly drafts: Drafts;
}

/** What a person has typed or chosen in the fields of the objects of a list. */
export interface EntriesDraft {
  readonly entries: readonly Entry[];
}

export interface Entry {
  /** Stays when entries before it are removed. */
  readonly key: number;
  readonly drafts: Drafts;
}

/** A draft that stands for one value. */
type PlainDraft = Exclude<Draft, FormDraft | EntriesDraft>;

/** What a control shows of a value of the controller. */
export function draftOf(kind: FieldKind, value: unknown): PlainDraft {
  if (kind === 'boolean') return typeof value === 'boolean' ? value : undefined;
  if (kind === 'list') return Array.isArray(value) ? value.map(String) : [];
  if (kind === 'map' || kind === 'schema') return mapDraftOf(value);
  if (value === undefined || value === null) return '';
  if (kind === 'json') return JSON.stringify(value, undefined, 2);
  if (kind === 'date') return localTime(String(value));
  // An entity shows some references with their names.
  return isRow(value) ? String(value.id ?? '') : String(value);
}

/** Reads all but the drafts of objects in a form. */
export function readDraft({ type }: Pick<Field, 'type'>, kind: FieldKind, draft: PlainDraft): ReadDraft {
  if (typeof draft === 'object') return isList(draft) ? readList(type, draft) : readMap(draft);
  if (typeof draft !== 'string') return draft === undefined ? {} : { value: draft };
  if (draft.trim() === '') return {};
  if (isNumeric(type)) return readNumber(type, draft.trim());
  if (kind === 'json') return readJson(draft);
  if (kind === 'date') return readDate(draft);
  return { value: draft };
}

/** Whether a field has nothing that a person has given. */
export function isEmptyDraft(draft: Draft): boolean {
  if (typeof draft === 'string') return draft.trim() === '';
  if (typeof draft !== 'object') return draft === undefined;
  if (isFormDraft(draft)) return false;
  if (isEntriesDraft(draft)) return draft.entries.length === 0;
  return isList(draft) ? draft.length === 0 : draft.json === null ? draft.rows.length === 0 : draft.json.trim() === '';
}

export function isFormDraft(draft: Draft): draft is FormDraft {
  return typeof draft === 'object' && 'drafts' in draft;
}

export function isEntriesDraft(draft: Draft): draft is EntriesDraft {
  return typeof draft === 'object' && 'entries' in draft && !Array.isArray(draft);
}

export function isMapDraft(draft: Draft): draft is MapDraft {
  return typeof draft === 'object' && 'rows' in draft;
}

function isList(draft: readonly string[] | MapDraft): draft is readonly string[] {
  return Array.isArray(draft);
}

const isNumeric = (type: Field['type']) => type === 'integer' || type === 'number';

function readList(type: Field['type'], texts: readonly string[]): ReadDraft {
  if (!isNumeric(type)) return { value: texts };
  const read = texts.map((text) => readNumber(type, text.trim()));
  return read.find(({ error }) => error !== undefined) ?? { value: read.map(({ value }) => value) };
}

function readNumber(type: Field['type'], text: string): ReadDraft {
  const isRight = type === 'integer' ? /^-?\d{1,15}$/.test(text) : /^-?\d{1,15}(\.\d+)?$/.test(text);
  return isRight ? { value: Number(text) } : { error: `Enter ${type === 'integer' ? 'a whole number' : 'a number'}.` };
}

function readDate(text: string): ReadDraft {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? { error: 'Enter a date with a time.' } : { value: date.toISOString() };
}

/** The time as `datetime-local` has it: the clock of the person, to the second. */
export function localTime(text: string): string {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return '';
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19);
}
