import { isRow } from '@edge-controller/operation-tables';
import type { ReadDraft } from './read-json.ts';
import { readJson } from './read-json.ts';

export interface MapRow {
  readonly key: string;
  readonly text: string;
}

/** Keys and values as rows, or all of them as one JSON text. */
export interface MapDraft {
  readonly rows: readonly MapRow[];
  readonly json: string | null;
}

/** Rows when every value fits into one line, else JSON. */
export function mapDraftOf(value: unknown): MapDraft {
  const entries = isRow(value) ? Object.entries(value) : [];
  const isNested = entries.some(([, one]) => typeof one === 'object' && one !== null);
  if (isNested) return { rows: [], json: JSON.stringify(value, undefined, 2) };
  return { rows: entries.map(([key, one]) => ({ key, text: textOfValue(one) })), json: null };
}

export function readMap({ rows, json }: MapDraft): ReadDraft {
  if (json !== null) return readObject(json);
  const named = rows.filter(({ key, text }) => key !== '' || text !== '');
  const keys = named.map(({ key }) => key);
  if (keys.includes('')) return { error: 'A value has no key.' };
  const twice = keys.find((key, at) => keys.indexOf(key) !== at);
  if (twice !== undefined) return { error: `The key ${twice} stands twice.` };
  return { value: Object.fromEntries(named.map(({ key, text }) => [key, valueOfText(text)])) };
}

/** The other view of the same values; `null` when the text is not right. */
export function otherView(draft: MapDraft): MapDraft | null {
  const { value } = readMap(draft);
  if (!isRow(value)) return null;
  return draft.json === null
    ? { rows: [], json: JSON.stringify(value, undefined, 2) }
    : { rows: Object.entries(value).map(([key, one]) => ({ key, text: textOfValue(one) })), json: null };
}

function readObject(json: string): ReadDraft {
  if (json.trim() === '') return { value: {} };
  const read = readJson(json);
  return read.error !== undefined || isRow(read.value) ? read : { error: 'Enter an object: { … }.' };
}

/** A text stands as it is, unless it would be read as something else: `5` is a number, `"5"` a text. */
function textOfValue(value: unknown): string {
  return typeof value === 'string' && valueOfText(value) === value ? value : JSON.stringify(value);
}

function valueOfText(text: string): unknown {
  const { value, error } = readJson(text);
  return error === undefined ? value : text;
}
