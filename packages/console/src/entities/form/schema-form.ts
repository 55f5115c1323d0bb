import type { Field, Row } from '@edge-controller/operation-tables';
import { isRow, valueAt, withValueAt } from '@edge-controller/operation-tables';
import type { Draft, FormDraft } from './draft.ts';
import { isFormDraft, isMapDraft } from './draft.ts';
import { readMap } from './map-draft.ts';
import { draftsOf, readAll } from './read-body.ts';

/** The object that a draft stands for, without what is wrong in it. */
export function objectOf({ name }: Field, draft: Draft): Row {
  const value = isFormDraft(draft)
    ? valueAt(readAll(draft.fields, draft.drafts).body, name)
    : isMapDraft(draft) && readMap(draft).value;
  return isRow(value) ? value : {};
}

/** An object in the fields of its schema; `null` when they would lose a part of it. */
export function formOf(fields: readonly Field[] | null, { name }: Field, value: Row): FormDraft | null {
  if (fields === null) return null;
  const drafts = draftsOf(fields, withValueAt({}, name, value));
  const read = valueAt(readAll(fields, drafts).body, name);
  return Object.keys(value).length === 0 || isPart(value, read) ? { fields, drafts } : null;
}

/** Whether a value has all that another one has. */
function isPart(part: unknown, whole: unknown): boolean {
  if (Array.isArray(part)) {
    return Array.isArray(whole) && part.length === whole.length && part.every((one, at) => isPart(one, whole[at]));
  }
  if (!isRow(part)) return part === whole;
  return isRow(whole) && Object.entries(part).every(([name, one]) => isPart(one, whole[name]));
}
