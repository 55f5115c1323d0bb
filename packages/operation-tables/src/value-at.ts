/** An object of the wire. */
export type Row = Readonly<Record<string, unknown>>;

/** The value at a path: `authPolicy.name`. */
export function valueAt(row: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, name) => memberOf(value, name), row);
}

/** A copy of an object with another value at a path. */
export function withValueAt(row: Row, path: string, value: unknown): Row {
  const [name = '', ...rest] = path.split('.');
  if (rest.length === 0) return { ...row, [name]: value };
  const inner = memberOf(row, name);
  return { ...row, [name]: withValueAt(isRow(inner) ? inner : {}, rest.join('.'), value) };
}

function memberOf(value: unknown, name: string): unknown {
  return isRow(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

export function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A value as one line of text. */
export function textOf(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return value.join(', ');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
