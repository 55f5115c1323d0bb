import type { EntityRef } from '@edge-controller/shared-types';
import { sql } from 'kysely';
import { inValues } from '../storage/database/sql/select-values.ts';
import type { EntityName } from '../storage/entity-store/tables.ts';
import type { Readers } from './dependencies.ts';
import { entityRefOf, linkColumns } from './links.ts';

/** Reads the references to these entities by their ids. Unknown ids are left out. */
export async function readRefs(
  { database, definitions }: Readers,
  to: EntityName,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EntityRef>> {
  const distinct = [...new Set(ids)];
  if (distinct.length === 0) return new Map();
  const { contract } = definitions[to];
  const names = contract.fields.name ? ['name'] : [];
  const columns = ['id', ...names, ...linkColumns(contract)].map((column) => sql.ref(column));
  const read = await sql<{ id: string; name?: string }>`select ${sql.join(columns)} from ${sql.table(to)}
    where "id" in ${inValues(database.sql, distinct)}`.execute(database.db);
  return new Map(read.rows.map((row) => [row.id, entityRefOf(contract, row)]));
}
