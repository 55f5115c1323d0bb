import { sql } from 'kysely';
import { isoTime } from '../../../core/time/clock.ts';
import { builtInConfigTypes } from './built-in-config-types.ts';
import { schemaOf } from './schema.ts';
import type { SchemaChange } from './schema-change.ts';

/** Identity types, config types and configs, with the types that every network has. */
export const configs: SchemaChange = async (db, context) => {
  const { entityTable, uniqueIndex } = schemaOf(db, context);
  await entityTable('identityTypes', { name: 'text' });
  await uniqueIndex('identityTypes', 'name');
  await entityTable('configTypes', { name: 'text', schema: 'text?', target: 'text' });
  await uniqueIndex('configTypes', 'name');
  const columns = { name: 'text', configTypeId: 'text', data: 'text' } as const;
  await entityTable('configs', columns, { configTypeId: { to: 'configTypes', onDelete: 'restrict' } });
  await uniqueIndex('configs', 'name');

  const now = isoTime(context.clock());
  for (const id of ['Default', 'Router']) {
    await sql`insert into "identityTypes" ("id", "createdAt", "updatedAt", "tags", "name")
      values (${id}, ${now}, ${now}, '{}', ${id})`.execute(db);
  }
  for (const { id, name, target, schema } of builtInConfigTypes) {
    await sql`insert into "configTypes" ("id", "createdAt", "updatedAt", "tags", "name", "schema", "target")
      values (${id}, ${now}, ${now}, '{}', ${name}, ${JSON.stringify(schema)}, ${target})`.execute(db);
  }
};
