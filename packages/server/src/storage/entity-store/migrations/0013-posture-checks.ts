import { sql } from 'kysely';
import { isoTime } from '../../../core/time/clock.ts';
import { schemaOf } from './schema.ts';
import type { SchemaChange } from './schema-change.ts';

const versions = {
  Windows: ['10', '2000', '7', '8', 'Vista'],
  Linux: ['4.14', '4.19', '5.4', '5.9'],
  Android: ['10', '11', '9'],
  macOS: ['10.15', '11.0'],
  iOS: ['11', '12'],
};
type System = keyof typeof versions;

const withVersions = (...systems: System[]) => systems.map((type) => ({ type, versions: versions[type] }));
const withoutVersions = (...systems: System[]) => systems.map((type) => ({ type, versions: null }));

const types = [
  { id: 'OS', name: 'Operating System Check', systems: withVersions('Android', 'Linux', 'Windows', 'iOS', 'macOS') },
  { id: 'PROCESS', name: 'Process Check', systems: withVersions('Linux', 'Windows', 'macOS') },
  { id: 'DOMAIN', name: 'Windows Domain Check', systems: withVersions('Windows') },
  { id: 'MAC', name: 'MAC Address Check', systems: withVersions('Android', 'Linux', 'Windows', 'macOS') },
  { id: 'PROCESS_MULTI', name: 'Process Multi Check', systems: withoutVersions('Linux', 'Windows', 'macOS') },
];

/** Posture checks, and their types. */
export const postureChecks: SchemaChange = async (db, context) => {
  const { entityTable, setTable, uniqueIndex } = schemaOf(db, context);
  const members = {
    operatingSystems: 'text?',
    domains: 'text?',
    macAddresses: 'text?',
    process: 'text?',
    semantic: 'text?',
    processes: 'text?',
    timeoutSeconds: 'integer?',
    promptOnWake: 'integer?',
    promptOnUnlock: 'integer?',
    ignoreLegacyEndpoints: 'integer?',
  } as const;
  await entityTable('postureChecks', { name: 'text', typeId: 'text', version: 'integer', ...members });
  await uniqueIndex('postureChecks', 'name');
  await setTable('postureChecks', 'roleAttributes');
  await entityTable('postureCheckTypes', { name: 'text', operatingSystems: 'text', version: 'text?' });
  await uniqueIndex('postureCheckTypes', 'name');

  const now = isoTime(context.clock());
  for (const { id, name, systems } of types) {
    await sql`insert into "postureCheckTypes" ("id", "createdAt", "updatedAt", "tags", "name", "operatingSystems")
      values (${id}, ${now}, ${now}, '{}', ${name}, ${JSON.stringify(systems)})`.execute(db);
  }
};
