import type { Field, Row } from '@edge-controller/operation-tables';
import { valueAt, withValueAt } from '@edge-controller/operation-tables';
import type { EntityIndex } from './entity-index.ts';

type Change = (text: string, field: Field & { readonly to: string }) => string;

/** The names (or ids) that the members of an entity refer to. */
export function* referredNames(members: Row, fields: readonly Field[]): Generator<{ to: string; name: string }> {
  for (const { to, name, set } of fields) {
    if (to === undefined) continue;
    for (const text of [valueAt(members, name)].flat()) {
      if (typeof text === 'string' && isReference(text, set)) yield { to, name: text.replace(/^@/, '') };
    }
  }
}

/** Members with ids in place of names. A name that the index does not know stays as it is. */
export function withIds(members: Row, fields: readonly Field[], index: EntityIndex): Row {
  return changed(members, fields, (text, { to, set }) => {
    if (!isReference(text, set)) return text;
    const name = text.replace(/^@/, '');
    const { id } = index.named(to, name) ?? index.withId(to, name) ?? {};
    if (typeof id !== 'string') return text;
    return set === 'roles' ? `@${id}` : id;
  });
}

/** Members with `@name` in place of ids, as a network file has them. */
export function withNames(members: Row, fields: readonly Field[], index: EntityIndex): Row {
  return changed(members, fields, (text, { to, set }) => {
    if (!isReference(text, set)) return text;
    const { name } = index.withId(to, text.replace(/^@/, '')) ?? {};
    return typeof name === 'string' ? `@${name}` : text;
  });
}

/** A role may also be `#attribute` or `#all`. Any other member with a text refers to an entity. */
function isReference(text: string, set: Field['set']): boolean {
  return set === 'roles' ? text.startsWith('@') : text !== '';
}

function changed(members: Row, fields: readonly Field[], change: Change): Row {
  let result = members;
  for (const field of fields) {
    const { to, name } = field;
    const value = valueAt(members, name);
    if (to === undefined || value === undefined || value === null) continue;
    const one = (text: unknown) => (typeof text === 'string' ? change(text, { ...field, to }) : text);
    result = withValueAt(result, name, Array.isArray(value) ? value.map(one) : one(value));
  }
  return result;
}
