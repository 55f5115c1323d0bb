import type { Kysely } from 'kysely';
import type { SchemaStatus } from './migrations/applied-changes.ts';
import { readSchemaStatus } from './migrations/applied-changes.ts';
import { readSealCheck } from './seal-check.ts';

/** What a look at an entity database shows. Nothing is changed. */
export interface EntityProbe {
  readonly schema: SchemaStatus;
  /** What the seal key has sealed; see `isSealKey`. */
  readonly sealCheck: string | null;
}

export async function probeEntities(db: Kysely<never>, dialect: 'sqlite' | 'postgres'): Promise<EntityProbe> {
  const schema = await readSchemaStatus(db, dialect);
  return { schema, sealCheck: schema.applied.length === 0 ? null : await readSealCheck(db) };
}
