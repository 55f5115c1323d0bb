import type { Difference, Kind } from './difference.ts';
import { comparedFormats } from './difference.ts';
import type { Place, Shape, Shapes } from './shape.ts';
import { isOpen } from './shape.ts';

const formats: Readonly<Record<string, RegExp>> = {
  'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
};

/** Compares a value of a response with its schema in the reference, at any depth. */
export function* checkValue(value: unknown, place: Place, shapes: Shapes): Generator<Difference> {
  const shape = shapes.of(place);
  const problem = problemOf(value, shape);
  if (problem) yield { ...problem, at: place.at, got: excerpt(value) };
  else if (Array.isArray(value)) yield* checkItems(value, shape, shapes);
  else if (typeof value === 'object' && value !== null) yield* checkMembers(value, shape, shapes);
}

function problemOf(value: unknown, shape: Shape): { readonly kind: Kind; readonly expected: string } | null {
  if (shape.type === 'any') return null;
  if (value === null) return shape.isNullable ? null : { kind: 'null', expected: shape.type };
  if (!isOfType(value, shape.type)) return { kind: 'type', expected: shape.type };
  if (shape.enum && !shape.enum.includes(value)) return { kind: 'enum', expected: shape.enum.join(', ') };
  const { format = '' } = shape;
  if (comparedFormats.has(format) && !formats[format]?.test(String(value))) return { kind: 'format', expected: format };
  return null;
}

function isOfType(value: unknown, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'array') return Array.isArray(value);
  return typeof value === type && !Array.isArray(value);
}

function* checkItems(values: readonly unknown[], { items }: Shape, shapes: Shapes): Generator<Difference> {
  if (!items) return;
  for (const value of values) yield* checkValue(value, items, shapes);
}

function* checkMembers(value: object, shape: Shape, shapes: Shapes): Generator<Difference> {
  const { members, required, rest, name } = shape;
  for (const member of required) {
    if (Object.hasOwn(value, member)) continue;
    const at = members.get(member)?.at ?? `${name}.${member}`;
    yield { kind: 'missing', at, expected: 'required', got: 'nothing' };
  }
  for (const [key, member] of Object.entries(value)) {
    const place = members.get(key) ?? (typeof rest === 'object' ? rest : undefined);
    if (place) yield* checkValue(member, place, shapes);
    else if (!isOpen(shape)) yield { kind: 'extra', at: `${name}.${key}`, expected: 'nothing', got: typeof member };
  }
}

function excerpt(value: unknown): string {
  return String(JSON.stringify(value)).slice(0, 80);
}
