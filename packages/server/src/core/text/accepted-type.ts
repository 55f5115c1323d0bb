/** A media range of an `Accept` header, without its parameters. */
interface MediaRange {
  /** In lower case: `text/yaml`, `text/*`. */
  readonly name: string;
  readonly quality: number;
}

/** What is between commas, or between semicolons; those in quoted strings do not count (RFC 9110, 5.6.4). */
const elements = /(?:"(?:\\.|[^"\\])*"?|[^",])+/g;
const parts = /(?:"(?:\\.|[^"\\])*"?|[^";])+/g;

/**
 * Returns which of the types a client prefers by its `Accept` header (RFC 9110, 12.5.1), `undefined` when it takes none. Of
 * types that it likes as much, that of the more precise range counts, then that of the first range. A parameter other than
 * `q` neither excludes nor prefers a type, because no type has parameters. A range whose `q` is no number does not count.
 */
export function acceptedType<T extends string>(accept: string, types: readonly T[]): T | undefined {
  const ranges = (accept.match(elements) ?? []).map(readRange).filter(({ quality }) => !Number.isNaN(quality));
  const ratings = types.map((type) => ({ type, ...rate(type, ranges) })).filter(({ quality }) => quality > 0);
  const [best] = ratings.toSorted((a, b) => b.quality - a.quality || b.precision - a.precision || a.at - b.at);
  return best?.type;
}

function readRange(text: string): MediaRange {
  const [name = '', ...parameters] = text.match(parts) ?? [];
  return { name: name.trim().toLowerCase(), quality: qualityOf(parameters) };
}

function qualityOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const weight = /^\s*q\s*=(.*)$/is.exec(parameter)?.[1];
    if (weight !== undefined) return Number.parseFloat(weight);
  }
  return 1;
}

/** Of the ranges that name a type, the most precise one decides; of several, the one with the highest quality. */
function rate(type: string, ranges: readonly MediaRange[]) {
  let rating = { quality: 0, precision: 0, at: 0 };
  for (const [at, { name, quality }] of ranges.entries()) {
    const precision = precisionOf(name, type);
    if (precision === 0 || precision < rating.precision) continue;
    if (precision > rating.precision || quality > rating.quality) rating = { quality, precision, at };
  }
  return rating;
}

/** How precisely a range names a type; 0: not at all. */
function precisionOf(name: string, type: string): number {
  if (name === type) return 3;
  if (name === '*/*') return 1;
  return name.endsWith('/*') && type.startsWith(name.slice(0, -1)) ? 2 : 0;
}
