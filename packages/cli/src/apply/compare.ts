import { isDeepStrictEqual } from 'node:util';
import type { Field, Row } from '@edge-controller/operation-tables';
import { isRow, textOf } from '@edge-controller/operation-tables';

/** A member of an entity that is not as the file wants it. */
export interface Difference {
  readonly field: Field;
  readonly from: unknown;
  readonly to: unknown;
}

/**
 * The members that differ. What the file leaves out, or has as null, stays as it is. What the controller accepts without storing it
 * cannot be compared.
 */
export function differences(wanted: Row, actual: Row, fields: readonly Field[]): Difference[] {
  return fields.flatMap((field) => {
    const to = wanted[field.name];
    const from = actual[field.name];
    if (field.isInput || to === undefined || to === null || isSame(field, to, from)) return [];
    return [{ field, from, to }];
  });
}

function isSame({ type, set, kinds }: Field, wanted: unknown, actual: unknown): boolean {
  if (isEmpty(wanted) && isEmpty(actual)) return true;
  if (set !== undefined) return isDeepStrictEqual(sorted(wanted), sorted(actual));
  return type === 'map' ? isDeepStrictEqual(wanted, actual) : includes(actual, wanted, kinds ? plain : trimmed);
}

/** A text in the way in which two texts are compared. */
type Write = (text: string) => string;

/** Whether everything that is wanted is there. The controller shows defaults, too. */
function includes(actual: unknown, wanted: unknown, write: Write): boolean {
  if (wanted === null) return true;
  if (Array.isArray(wanted)) return Array.isArray(actual) && includesAll(actual, wanted, write);
  if (isRow(wanted)) {
    return isRow(actual) && Object.entries(wanted).every(([name, one]) => includes(actual[name], one, write));
  }
  // An entity that is shown with its name.
  if (isRow(actual)) return actual.id === wanted || actual.name === wanted;
  if (typeof wanted === 'string' && typeof actual === 'string') return write(wanted) === write(actual);
  return (isEmpty(wanted) && isEmpty(actual)) || wanted === actual;
}

/** The controller shows a list in its order, or as a sorted set. */
function includesAll(actual: readonly unknown[], wanted: readonly unknown[], write: Write): boolean {
  const isListed = (list: readonly unknown[]) =>
    actual.length === list.length && list.every((one, at) => includes(actual[at], one, write));
  return isListed(wanted) || (areTexts(wanted) && areTexts(actual) && isSetOf(actual, wanted, write));
}

/** Whether a list is in the order of a set, and has these texts. Their order may change when they are written in another way. */
function isSetOf(actual: readonly string[], wanted: readonly string[], write: Write): boolean {
  const isSet = isDeepStrictEqual(actual, setOf(actual));
  return isSet && isDeepStrictEqual(setOf(actual.map(write)), setOf(wanted.map(write)));
}

function areTexts(list: readonly unknown[]): list is readonly string[] {
  return list.every((one) => typeof one === 'string');
}

const setOf = (texts: readonly string[]) => [...new Set(texts)].sort();

const trimmed: Write = (text) => text.trim();

/** The controller shows addresses, fingerprints and hashes of posture checks as hex digits alone. Elsewhere their case may matter. */
function plain(text: string): string {
  const digits = text.replaceAll(/[:.\s-]/g, '');
  return /^[\da-f]{12,}$/i.test(digits) ? digits.toLowerCase() : text.trim();
}

/** The controller leaves out what is false or empty, or shows it as null. */
function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

const sorted = (value: unknown) => [value ?? []].flat().map(textOf).sort();
