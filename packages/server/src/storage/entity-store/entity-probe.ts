import type { Kysely, QueryExecutorProvider } from 'kysely';
import { sql } from 'kysely';
import { measureAuditLog } from './audit-log-size.ts';
import type { SchemaStatus } from './migrations/applied-changes.ts';
import { readSchemaStatus } from './migrations/applied-changes.ts';
import { readSealCheck } from './seal-check.ts';

/** What a probe of an entity database shows. Nothing is changed. */
export interface EntityProbe<T> {
  readonly schema: SchemaStatus;
  /** What the seal key has sealed; see `isSealKey`. */
  readonly sealCheck: string | null;
  /** Bytes of the audit log, about. */
  readonly auditLogSize: number;
  /** Where the keys of the enabled external JWT signers come from. Empty with another schema. */
  readonly jwksEndpoints: readonly JwksEndpoint[];
  /** What the caller has read. `null` with another schema. */
  readonly read: T | null;
}

/** Where the keys of an external JWT signer come from. */
export interface JwksEndpoint {
  readonly signerId: string;
  readonly url: string;
}

/** @param read reads more from a database with the schema of this version */
export async function probeEntities<T>(
  db: Kysely<never>,
  dialect: 'sqlite' | 'postgres',
  read: (db: QueryExecutorProvider) => Promise<T>,
): Promise<EntityProbe<T>> {
  const schema = await readSchemaStatus(db, dialect);
  const sealCheck = schema.applied.length === 0 ? null : await readSealCheck(db);
  const hasAuditLog = schema.applied.includes('0021-audit-log');
  const auditLogSize = hasAuditLog ? (await measureAuditLog(db)).bytes : 0;
  const isCurrent = schema.missing.length === 0 && schema.unknown.length === 0;
  const common = { schema, sealCheck, auditLogSize };
  if (!isCurrent) return { ...common, jwksEndpoints: [], read: null };
  return { ...common, jwksEndpoints: await readJwksEndpoints(db), read: await read(db) };
}

export async function readJwksEndpoints(db: QueryExecutorProvider): Promise<readonly JwksEndpoint[]> {
  const { rows } = await sql<JwksEndpoint>`
    select "id" as "signerId", "jwksEndpoint" as "url" from "externalJwtSigners"
      where "enabled" = 1 and "jwksEndpoint" <> '' order by "id"`.execute(db);
  return rows;
}
