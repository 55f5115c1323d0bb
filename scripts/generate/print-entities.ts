import { listQuery, roleListQuery } from '../../packages/shared-types/src/envelope.ts';
import { definitions } from '../../packages/shared-types/src/index.ts';
import { kindsOf } from '../../packages/shared-types/src/kinds.ts';
import { docComment } from './doc-comment.ts';
import type { Schema } from './print-type.ts';
import { definitionOf, printBody, printMember, printType, typeName } from './print-type.ts';
import type { Docs } from './read-docs.ts';

/** Schemas of queries. They have no names on the wire. */
const queries = { listQuery, roleListQuery };

/** Prints the types of the named schemas that a text uses, and those that they use, sorted by name. */
export function printEntities(docsOf: (id: string) => Docs | undefined, text: string) {
  const named: [string, Schema][] = [...definitions._idmap, ...Object.entries(queries)];
  const schemas = new Map(named.map((one) => [typeName(one[0]), one]));
  const printed = new Map<string, string>();
  const print = (name: string) => {
    const [id, schema] = schemas.get(name) ?? [];
    if (printed.has(name) || id === undefined || schema === undefined) return;
    const entity = printEntity(id, schema, docsOf(id));
    printed.set(name, entity);
    usedTypes(entity).forEach(print);
  };
  usedTypes(text).forEach(print);
  return [...printed.keys()]
    .sort()
    .map((name) => printed.get(name))
    .join('\n');
}

/** The names that a text uses as types. */
export function usedTypes(text: string): string[] {
  return text.replace(/\/\*\*.*?\*\//gs, '').match(/(?<=[:<|,=] ?)[A-Z]\w+/g) ?? [];
}

function printEntity(id: string, schema: Schema, docs: Docs | undefined) {
  if (!docs?.text) throw new Error(`the schema ${id} has no doc comment`);
  const head = docComment([docs.text]);
  const def = definitionOf(schema);
  if (def.type !== 'object' || kindsOf(schema)) return `${head}export type ${typeName(id)} = ${printBody(schema)};\n`;
  const members = Object.entries(def.shape).map((member) => {
    const text = docs.members.get(member[0]);
    return `${text === undefined ? '' : docComment([text], '  ')}  ${printMember(member)};\n`;
  });
  return `${head}export interface ${typeName(id)} {\n${members.join('')}}\n`;
}

const queryNames = new Map(Object.entries(queries).map(([name, schema]): [Schema, string] => [schema, typeName(name)]));

/** The type of a query, by name if it has one. */
export const printQuery = (schema: Schema) => queryNames.get(schema) ?? printType(schema);
