import type { SchemaOfAnyKind } from '../../packages/shared-types/src/definitions.ts';
import { definitions } from '../../packages/shared-types/src/index.ts';
import { kindsOf } from '../../packages/shared-types/src/kinds.ts';

export type Schema = Parameters<typeof definitions.has>[0];

/** Schemas whose names on the wire say too little beside other types of an application. */
const renamed: Readonly<Record<string, string>> = { interface: 'NetworkInterface', version: 'VersionDetail' };

/** The name of the type of a schema: `identityDetail` → `IdentityDetail`. */
export const typeName = (id: string) => renamed[id] ?? id.charAt(0).toUpperCase() + id.slice(1);

/** Prints the type that zod infers for a schema. Registered schemas are printed by their names. */
export function printType(schema: Schema): string {
  const id = definitions.get(schema)?.id;
  return id === undefined ? printBody(schema) : typeName(id);
}

export const definitionOf = (schema: Schema) => (schema as SchemaOfAnyKind)._zod.def;

/** The same without the name of the schema itself. */
export function printBody(schema: Schema): string {
  const def = definitionOf(schema);
  switch (def.type) {
    case 'string':
      return union(closedSetOf(schema)) || 'string';
    case 'number':
    case 'boolean':
      return def.type;
    case 'any':
      return 'unknown';
    case 'enum':
      return union(Object.values(def.entries));
    case 'array':
      return `${parenthesized(printType(def.element))}[]`;
    case 'record':
      return `Record<string, ${printType(def.valueType)}>`;
    case 'object':
      if (kindsOf(schema)) return (kindsOf(schema) ?? []).map(printType).join(' | ');
      return `{ ${Object.entries(def.shape).map(printMember).join('; ')} }`;
    case 'nullable':
      return `${printType(def.innerType)} | null`;
    case 'optional':
      return definitionOf(def.innerType).type === 'any' ? 'unknown' : `${printType(def.innerType)} | undefined`;
    default:
      throw new Error(`there is no TypeScript for a schema of type ${def.type}`);
  }
}

const union = (values: readonly (string | number)[]) => values.map((value) => `'${value}'`).join(' | ');

interface Described {
  meta(): { readonly enum?: readonly string[] } | undefined;
}

/** The values of a schema that `oneOf` made. */
const closedSetOf = (schema: Schema): readonly string[] => (schema as Partial<Described>).meta?.()?.enum ?? [];

const parenthesized = (type: string) => (/[|{]/.test(type) ? `(${type})` : type);

export function printMember([name, schema]: [string, Schema]) {
  const key = /^\w+$/.test(name) ? name : `'${name}'`;
  return `${key}${isOptional(schema) ? '?' : ''}: ${printType(schema)}`;
}

function isOptional(schema: Schema): boolean {
  const def = definitionOf(schema);
  return def.type === 'optional' || (def.type === 'nullable' && isOptional(def.innerType));
}

/** True when every member may be absent. */
export function isAllOptional(schema: Schema) {
  const def = definitionOf(schema);
  return def.type === 'object' && Object.values(def.shape).every(isOptional);
}
