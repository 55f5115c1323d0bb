import type { Field, Row } from '@edge-controller/operation-tables';
import { isRow } from '@edge-controller/operation-tables';

/** Fields of a form; what has more is edited as JSON. */
const maxFields = 200;
/** Objects in objects that are frames in frames; what is deeper is JSON. */
const maxDepth = 4;
/** References that lead to references. */
const maxReferences = 8;

/** A schema that is read. */
interface Reading {
  readonly root: Row;
  /** Fields that a form can still have. */
  left: number;
}

interface Place extends Pick<Field, 'name' | 'isRequired' | 'about'> {
  /** The members of the objects around it. */
  readonly around: readonly unknown[];
}

/**
 * The fields of a value that a JSON schema describes: itself as a group, then its members at every depth. `null` when no
 * form can show them.
 */
export function fieldsOfSchema(schema: unknown, { name, isRequired, about }: Field): readonly Field[] | null {
  const root = isRow(schema) ? schema : {};
  const reading = { root, left: maxFields };
  const required = isRequired === undefined ? {} : { isRequired };
  const place = { name, ...required, ...(about !== undefined && { about }), around: [] };
  const fields = fieldsAt(reading, root, place);
  return fields.length > 1 && reading.left >= 0 ? fields : null;
}

function fieldsAt(reading: Reading, given: unknown, { around, ...place }: Place): readonly Field[] {
  const { root } = reading;
  reading.left -= 1;
  if (reading.left < 0) return [];
  const { description, default: byDefault, properties, required, ...schema } = resolved(given, root);
  const about = [
    place.about ?? (typeof description === 'string' ? description : undefined),
    byDefault === undefined ? undefined : `Default: ${JSON.stringify(byDefault)}.`,
  ].filter((text) => text !== undefined);
  const field = { ...place, ...(about.length > 0 && { about: about.join(' ') }) };
  if (!isRow(properties)) {
    const type = typeOf(schema, root);
    const items = type.isList ? itemsOf(reading, schema.items, around) : [];
    return [{ ...field, ...type, ...(items.length > 0 && { items }) }];
  }
  // A name with a dot would be that of a member of a member.
  const isShown = Object.keys(properties).every((name) => name !== '' && !name.includes('.'));
  if (!isShown || around.length === maxDepth || around.includes(properties)) {
    return [{ ...field, type: 'json' }];
  }
  const members = Object.entries(properties).flatMap(([name, member]) => {
    const isRequired = Array.isArray(required) && required.includes(name);
    const inner = { name: `${place.name}.${name}`, ...(isRequired && { isRequired: true as const }) };
    return fieldsAt(reading, member, { ...inner, around: [...around, properties] });
  });
  return [{ ...field, type: 'object' }, ...members];
}

/** The members of the objects in an array; none when it has anything else. */
function itemsOf(reading: Reading, given: unknown, around: Place['around']): readonly Field[] {
  const entry = resolved(given, reading.root);
  if (!isRow(entry.properties)) return [];
  const [, ...members] = fieldsAt(reading, entry, { name: '', around });
  return members.map((field) => ({ ...field, name: field.name.slice(1) }));
}

function typeOf(schema: Row, root: Row): Pick<Field, 'type' | 'values' | 'isList'> {
  const { type, enum: list, const: only } = schema;
  const types = [type ?? []].flat().filter((one) => one !== 'null');
  const values = Array.isArray(list) ? list.filter((one) => one !== null) : only === undefined ? [] : [only];
  const [name = values.length > 0 && values.every(isText) ? 'string' : 'json'] = types;
  if (types.length > 1) return { type: 'json' };
  if (name === 'boolean') return { type: 'boolean' };
  if (name === 'object') return { type: 'map' };
  if (name === 'array') {
    const { type: inner, values: choice } = typeOf(resolved(schema.items, root), root);
    const isScalar = inner === 'text' || inner === 'integer' || inner === 'number';
    return { type: isScalar ? inner : 'json', isList: true, ...(isScalar && choice && { values: choice }) };
  }
  const choice = values.length > 0 ? { values: values.map(String) } : {};
  if (name === 'string') return { type: 'text', ...choice };
  return name === 'integer' || name === 'number' ? { type: name, ...choice } : { type: 'json' };
}

const isText = (value: unknown) => typeof value === 'string';

/** A schema with what it refers to. One whose parts all have members is left to JSON. */
function resolved(given: unknown, root: Row, depth = 0): Row {
  if (!isRow(given) || depth > maxReferences) return {};
  const { $ref, allOf, ...own } = given;
  const all = [...(isText($ref) ? [pointed(root, String($ref))] : []), ...(Array.isArray(allOf) ? allOf : [])];
  const parts = [...all.map((part) => resolved(part, root, depth + 1)), own];
  return parts.filter(({ properties }) => properties).length > 1 ? {} : Object.assign({}, ...parts);
}

/** What a JSON pointer such as `#/definitions/port` leads to. */
function pointed(root: Row, pointer: string): unknown {
  const names = pointer.split('/').slice(1);
  return names.reduce<unknown>((value, name) => {
    const own = name.replaceAll('~1', '/').replaceAll('~0', '~');
    return isRow(value) && Object.hasOwn(value, own) ? value[own] : undefined;
  }, root);
}
