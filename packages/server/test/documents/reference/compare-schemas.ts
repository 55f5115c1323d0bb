import type { Difference, Kind } from './difference.ts';
import { comparedFormats } from './difference.ts';
import type { Place, Shape, Shapes } from './shape.ts';
import { isOpen } from './shape.ts';

export interface Sides<T> {
  readonly reference: T;
  readonly own: T;
}

/** What is sent: the controller sends a response and reads a request. */
export type Direction = 'response' | 'request';

interface Comparison {
  readonly shapes: Sides<Shapes>;
  readonly direction: Direction;
  /** Definitions may refer to each other in a circle. */
  readonly compared: Set<string>;
}

/** Compares a schema of the reference with that of the controller, at any depth. */
export function compareSchemas(places: Sides<Place>, shapes: Sides<Shapes>, direction: Direction): Difference[] {
  return [...comparePlaces(places, { shapes, direction, compared: new Set() })];
}

function* comparePlaces(places: Sides<Place>, comparison: Comparison): Generator<Difference> {
  const { shapes, compared } = comparison;
  const pair = JSON.stringify([places.reference, places.own]);
  if (compared.has(pair)) return;
  compared.add(pair);
  const reference = shapes.reference.of(places.reference);
  const own = shapes.own.of(places.own);
  if (reference.type === 'any') return;
  const { at } = places.reference;
  yield* compareValues({ reference, own }, at, comparison.direction);
  if (!isType(own.type, reference.type)) return;
  yield* compareMembers({ reference, own }, comparison);
  if (reference.items && own.items) yield* comparePlaces({ reference: reference.items, own: own.items }, comparison);
}

/** What one side sends, the other must take. */
function* compareValues({ reference, own }: Sides<Shape>, at: string, direction: Direction): Generator<Difference> {
  const [sent, taken] = direction === 'response' ? [own, reference] : [reference, own];
  const differ = (kind: Kind, expected: unknown, got: unknown): Difference => ({
    ...{ kind, at },
    ...{ expected: String(expected), got: String(got) },
  });
  if (!isType(sent.type, taken.type)) yield differ('type', reference.type, own.type);
  if (mayBeNull(sent) && !mayBeNull(taken)) yield differ('null', nullability(reference), nullability(own));
  const values = new Set(taken.enum);
  if (taken.enum && !sent.enum?.every((value) => values.has(value))) {
    yield differ('enum', reference.enum ?? reference.type, own.enum ?? own.type);
  }
  const { format = '' } = taken;
  if (comparedFormats.has(format) && sent.format !== format) {
    yield differ('format', reference.format ?? reference.type, own.format ?? own.type);
  }
}

function* compareMembers(shapes: Sides<Shape>, comparison: Comparison): Generator<Difference> {
  const { reference, own } = shapes;
  for (const [name, theirs] of reference.members) {
    const ours = own.members.get(name);
    if (ours) yield* comparePlaces({ reference: theirs, own: ours }, comparison);
    const expected = presence(reference, name);
    const got = presence(own, name);
    const kind = presenceProblem({ reference: expected, own: got }, comparison.direction);
    if (kind) yield { kind, at: theirs.at, expected, got };
  }
  yield* compareOtherMembers(shapes, comparison);
}

/** Compares the members of which the reference does not have the names. */
function* compareOtherMembers({ reference, own }: Sides<Shape>, comparison: Comparison): Generator<Difference> {
  if (isOpen(reference)) return;
  const { rest } = reference;
  for (const [name, ours] of own.members) {
    if (reference.members.has(name)) continue;
    if (typeof rest === 'object') yield* comparePlaces({ reference: rest, own: ours }, comparison);
    else yield { kind: 'extra', at: `${reference.name}.${name}`, expected: 'nothing', got: presence(own, name) };
  }
  if (typeof rest === 'object' && typeof own.rest === 'object') {
    yield* comparePlaces({ reference: rest, own: own.rest }, comparison);
  }
}

type Presence = 'required' | 'optional' | 'nothing';

function presence({ members, required }: Shape, name: string): Presence {
  if (!members.has(name)) return 'nothing';
  return required.has(name) ? 'required' : 'optional';
}

function presenceProblem({ reference, own }: Sides<Presence>, direction: Direction): Kind | null {
  if (own === 'nothing') return 'missing';
  if (reference === own) return null;
  if (direction === 'response') return own === 'optional' ? 'missing' : null;
  return own === 'required' ? 'required' : null;
}

/** True when a value of one type can be used where another is expected. */
function isType(sent: string, taken: string): boolean {
  return taken === 'any' || sent === taken || (sent === 'integer' && taken === 'number');
}

function mayBeNull({ type, isNullable }: Shape): boolean {
  return isNullable || type === 'any';
}

function nullability(shape: Shape): string {
  return mayBeNull(shape) ? 'null or a value' : 'a value';
}
