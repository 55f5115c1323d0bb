import type { Field, Row } from '@edge-controller/operation-tables';
import { isRow } from '@edge-controller/operation-tables';

/** Fields of a form; what has more is edited as JSON. */
const maxFields = 200;
/** Objects in objects that are frames in frames; what is deeper is JSON. */
const maxDepth = 4;
/** References that lead to references. */
const maxReferences = 8;

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
  const fields: Field[] = [];
  const required = isRequired === undefined ? {} : { isRequired };
  addFields(fields, root, { name, ...required, ...(about !== undefined && { about }), around: [] }, root);
  return fields.length > 1 && fields.length <= maxFields ? fields : null;
}

function addFields(fields: Field[], given: unknown, { around, ...place }: Place, root: Row): void {
  if (fields.length > maxFields) return;
  const { description, default: byDefault, properties, required, ...schema } = resolved(given, root);
  const about = [
    place.about ?? (typeof description === 'string' ? description : undefined),
    byDefault === undefined ? undefined : `Default: ${JSON.stringify(byDefault)}.`,
  ].filter((text) => text !== undefined);
  const field = { ...place, ...(about.length > 0 && { about: about.join(' ') }) };
  if (!isRow(properties)) {
    fields.push({ ...field, ...typeOf(schema, root) });
    return;
  }
  // A name with a dot would be that of a member of a member.
  const isShown = Object.keys(properties).every((name) => name !== '' && !name.includes('.'));
  if (!isShown || around.length === maxDepth || around.includes(properties)) {
    fields.push({ ...field, type: 'json' });
    return;
  }
  fields.push({ ...field, type: 'object' });
  for (const [name, member] of Object.entries(properties)) {
    const isRequired = Array.isArray(required) && required.includes(name);
    const inner = { name: `${place.name}.${name}`, ...(isRequired && { isRequired: true as const }) };
    addFields(fields, member, { ...inner, around: [...around, properties] }, root);
  }
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
