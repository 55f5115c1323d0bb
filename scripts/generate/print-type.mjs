import { definitions } from '../../packages/shared-types/src/index.ts';

/** Schemas whose names on the wire say too little beside other types of an application. */
const renamed = { interface: 'NetworkInterface', version: 'VersionDetail' };

/** The name of the type of a schema: `identityDetail` → `IdentityDetail`. */
export const typeName = (id) => renamed[id] ?? id[0].toUpperCase() + id.slice(1);

/** Prints the type that zod infers for a schema. Registered schemas are printed by their names. */
export function printType(schema) {
  const id = definitions.get(schema)?.id;
  return id === undefined ? printBody(schema) : typeName(id);
}

const printers = {
  string: () => 'string',
  number: () => 'number',
  boolean: () => 'boolean',
  any: () => 'unknown',
  enum: ({ entries }) =>
    Object.values(entries)
      .map((entry) => `'${entry}'`)
      .join(' | '),
  array: ({ element }) => `${parenthesized(printType(element))}[]`,
  record: ({ valueType }) => `Record<string, ${printType(valueType)}>`,
  object: ({ shape }) => `{ ${Object.entries(shape).map(printMember).join('; ')} }`,
  nullable: ({ innerType }) => `${printType(innerType)} | null`,
  optional: ({ innerType }) => (innerType.def.type === 'any' ? 'unknown' : `${printType(innerType)} | undefined`),
};

/** The same without the name of the schema itself. */
export function printBody({ def }) {
  const print = printers[def.type];
  if (print === undefined) throw new Error(`there is no TypeScript for a schema of type ${def.type}`);
  return print(def);
}

const parenthesized = (type) => (/[|{]/.test(type) ? `(${type})` : type);

export function printMember([name, schema]) {
  const key = /^\w+$/.test(name) ? name : `'${name}'`;
  return `${key}${isOptional(schema) ? '?' : ''}: ${printType(schema)}`;
}

const isOptional = ({ def }) => def.type === 'optional' || (def.type === 'nullable' && isOptional(def.innerType));

/** True when every member may be absent. */
export const isAllOptional = (schema) =>
  schema.def.type === 'object' && Object.values(schema.def.shape).every(isOptional);
