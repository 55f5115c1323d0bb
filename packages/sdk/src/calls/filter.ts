type FilterScalar = string | number | boolean | Date | null;
/** A value in a filter. An array is the list of `in`. */
export type FilterValue = FilterScalar | readonly FilterScalar[];

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\f': '\\f',
};

/**
 * Writes values into the filter of a list. A text gets its quotes here, so no text can change the meaning of the filter. A
 * `Date` becomes `datetime(…)`, an array the list of `in`.
 *
 * @throws TypeError for a value that a filter cannot have (`undefined`, `NaN`, an object, an empty array, a text with a NUL
 *   character or half of a surrogate pair), and for a value between quotes.
 * @example
 * await edge.management.identities.list({ filter: filter`name = ${name} and isAdmin = ${false}` });
 * await edge.management.identities.list({ filter: filter`name in ${names}` });
 */
export function filter({ raw }: TemplateStringsArray, ...values: readonly FilterValue[]): string {
  return raw.slice(1).reduce((text, part, at) => {
    if (endsInText(text))
      throw new TypeError('a value in a filter must not be between quotes: it gets its quotes by itself');
    return text + literalOf(values[at]) + part;
  }, raw[0] ?? '');
}

function endsInText(filterText: string): boolean {
  return filterText.replace(/"(?:[^"\\]|\\.)*"/gs, '').includes('"');
}

function literalOf(value: unknown): string {
  if (!Array.isArray(value)) return scalar(value);
  if (value.length === 0) throw new TypeError('a filter cannot have an empty list');
  return `[${value.map(scalar).join(', ')}]`;
}

function scalar(value: unknown): string {
  if (typeof value === 'string') return text(value);
  if (value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) {
    return String(value);
  }
  if (value instanceof Date && /^\d{4}-/.test(isoOf(value))) return `datetime(${isoOf(value)})`;
  throw new TypeError('a filter can have texts, finite numbers, booleans, dates of the years 0 to 9999, and null');
}

function isoOf(date: Date): string {
  return Number.isNaN(date.getTime()) ? '' : date.toISOString();
}

function text(value: string): string {
  // The URL of the request would have another character in its place.
  if (/\0|\p{Surrogate}/u.test(value)) throw new TypeError('a text in a filter must be well-formed and without NUL');
  return `"${value.replace(/["\\\n\r\t\f]/g, (character) => escapes[character] ?? '')}"`;
}
