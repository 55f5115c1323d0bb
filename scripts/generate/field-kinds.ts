import type { Field } from '../../packages/operation-tables/src/operation-table.ts';
import { contracts } from '../../packages/shared-types/src/index.ts';
import { kindsOf } from '../../packages/shared-types/src/kinds.ts';
import type { Schema } from './print-type.ts';
import { definitionOf } from './print-type.ts';

export interface BodyKinds {
  /** The member that says the kind. */
  readonly by: string;
  /** Kind → its members. A request must send those that end with `!`. */
  readonly members: Readonly<Record<string, readonly string[]>>;
}

/** The kinds of objects that a body may be, as a contract or a schema says them. */
export function kindsOfBody(name: string, schema: Schema | undefined): BodyKinds | undefined {
  const contract = Object.values(contracts).find(({ noun }) => [`${noun}Create`, `${noun}Update`].includes(name));
  const patched = Object.values(contracts).find(({ noun }) => name === `${noun}Patch`);
  if (contract && 'kinds' in contract) return contract.kinds;
  if (patched && 'kinds' in patched) return withoutMarks(patched.kinds);
  const def = schema && definitionOf(schema);
  const kinds = kindsOf((def?.type === 'array' ? def.element : schema) ?? {});
  return kinds && ofShapes(kinds.map(({ shape }) => shape));
}

/** The kinds that have a member, unless all have it. A member of a member is as the outer one. */
export function kindsOfMember(kinds: BodyKinds | undefined, member: string): Pick<Field, 'kinds'> {
  const [outer = ''] = member.split('.');
  const entries = Object.entries(kinds?.members ?? {});
  const isOwn = (name: string) => name.replace('!', '') === outer;
  const names = entries.filter(([, own]) => own.some(isOwn)).map(([kind]) => kind);
  if (kinds === undefined || names.length === 0 || names.length === entries.length) return {};
  const neededBy = entries.filter(([, own]) => own.includes(`${member}!`)).map(([kind]) => kind);
  return { kinds: { by: kinds.by, names, ...(neededBy.length > 0 && { neededBy }) } };
}

/** A change may leave out what the entity has already. */
function withoutMarks({ by, members }: BodyKinds): BodyKinds {
  const unmarked = Object.entries(members).map(([kind, own]) => [kind, own.map((name) => name.replace('!', ''))]);
  return { by, members: Object.fromEntries(unmarked) };
}

function ofShapes(shapes: readonly Readonly<Record<string, Schema>>[]): BodyKinds {
  const [first = {}] = shapes;
  const by = Object.keys(first).find((name) => shapes.every((shape) => kindIn(shape[name]) !== undefined));
  if (by === undefined) throw new Error('no member says which kind an object is');
  const members = shapes.map((shape) => {
    const own = Object.entries(shape).map(([name, schema]) =>
      definitionOf(schema).type === 'optional' ? name : `${name}!`,
    );
    return [kindIn(shape[by]), own];
  });
  return { by, members: Object.fromEntries(members) };
}

/** The only value that a member may have. */
function kindIn(schema: Schema | undefined): string | undefined {
  const def = schema && definitionOf(schema);
  const values = def?.type === 'enum' ? Object.values(def.entries) : [];
  return values.length === 1 ? String(values[0]) : undefined;
}
