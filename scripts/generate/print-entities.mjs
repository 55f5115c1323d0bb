import { listQuery, roleListQuery } from '../../packages/shared-types/src/envelope.ts';
import { definitions } from '../../packages/shared-types/src/index.ts';
import { docComment } from './doc-comment.mjs';
import { printBody, printMember, printType, typeName } from './print-type.mjs';

/** Schemas of queries. They have no names on the wire. */
const queries = { listQuery, roleListQuery };

/** Prints the types of the named schemas that a text uses, and those that they use, sorted by name. */
export function printEntities(docsOf, text) {
  const schemas = new Map([...definitions._idmap, ...Object.entries(queries)].map((one) => [typeName(one[0]), one]));
  const printed = new Map();
  const print = (name) => {
    if (printed.has(name) || !schemas.has(name)) return;
    const [id, schema] = schemas.get(name);
    printed.set(name, printEntity(id, schema, docsOf(id)));
    usedTypes(printed.get(name)).forEach(print);
  };
  usedTypes(text).forEach(print);
  return [...printed.keys()]
    .sort()
    .map((name) => printed.get(name))
    .join('\n');
}

/** The names that a text uses as types. */
export function usedTypes(text) {
  return text.replace(/\/\*\*.*?\*\//gs, '').match(/(?<=[:<|,] ?)[A-Z]\w+/g) ?? [];
}

function printEntity(id, schema, docs) {
  if (!docs?.text) throw new Error(`the schema ${id} has no doc comment`);
  const head = docComment([docs.text]);
  if (schema.def.type !== 'object') return `${head}export type ${typeName(id)} = ${printBody(schema)};\n`;
  const members = Object.entries(schema.def.shape).map((member) => {
    const text = docs.members.get(member[0]);
    return `${text === undefined ? '' : docComment([text], '  ')}  ${printMember(member)};\n`;
  });
  return `${head}export interface ${typeName(id)} {\n${members.join('')}}\n`;
}

const queryNames = new Map(Object.entries(queries).map(([name, schema]) => [schema, typeName(name)]));

/** The type of a query, by name if it has one. */
export const printQuery = (schema) => queryNames.get(schema) ?? printType(schema);
