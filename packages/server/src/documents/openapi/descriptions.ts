import descriptions from './generated/descriptions.json' with { type: 'json' };
import type { Schema } from './parts.ts';

interface SchemaDescription {
  readonly text: string;
  readonly members: Readonly<Record<string, string>>;
}

const tags: Readonly<Record<string, string>> = descriptions.tags;
const schemas: Readonly<Record<string, SchemaDescription>> = descriptions.schemas;

/** Says what the operations of a resource are about. */
export function describeTag(name: string): { readonly name: string; readonly description?: string } {
  const description = tags[name];
  return description === undefined ? { name } : { name, description };
}

/** Adds what a registered schema and its members mean. */
export function describeSchema(id: string, schema: Schema): Schema {
  const { text, members = {} } = schemas[id] ?? {};
  const describe = ([name, member]: [string, Schema]) => [name, withDescription(member, members[name])];
  return {
    ...withDescription(schema, text),
    ...(schema.properties && { properties: Object.fromEntries(Object.entries(schema.properties).map(describe)) }),
  };
}

function withDescription(schema: Schema, description?: string): Schema {
  return description === undefined ? schema : { ...schema, description };
}
