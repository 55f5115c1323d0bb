import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import { ApiError } from '../../core/api-error.ts';
import { inValues } from '../../storage/database/sql/select-values.ts';
import type { EntityStore, Tables } from '../../storage/entity-store/entity-store.ts';
import type { Rights } from './rights.ts';
import { covers, rightsColumns, rightsOf } from './rights.ts';

/** Somebody who asks for something. `undefined`: the controller itself. */
export type RightsAsker = (Rights & { readonly id: string }) | undefined;

/** An identity with rights that somebody else does not have. */
export interface HigherIdentity {
  readonly id: string;
  readonly externalId: string | null;
  readonly authPolicyId: string;
}

/** Reads the identities with rights that `asker` does not have. Few identities have rights, so all of these are read. */
export async function readHigherIdentities(db: Kysely<Tables>, asker: RightsAsker): Promise<readonly HigherIdentity[]> {
  if (!asker || asker.isAdmin) return [];
  const columns = ['id', 'externalId', 'authPolicyId', ...rightsColumns] as const;
  // The conditions are those of two indexes with few rows.
  const administrators = db.selectFrom('identities').select(columns);
  const others = db.selectFrom('identities').select(columns);
  const rows = await administrators
    .where(sql<boolean>`("isAdmin" = 1 or "isDefaultAdmin" = 1)`)
    .union(others.where('permissions', 'is not', null))
    .execute();
  return rows.filter((row) => !covers(asker, rightsOf(row)));
}

/** Reads the rights of identities by their ids. Unknown ids are left out. */
export async function readRights(
  { db, sql: dialect }: { readonly db: Kysely<Tables>; readonly sql: EntityStore['sql'] },
  ids: readonly string[],
): Promise<ReadonlyMap<string, Rights>> {
  const rows = await db
    .selectFrom('identities')
    .select(['id', ...rightsColumns])
    .where('id', 'in', inValues(dialect, ids))
    .execute();
  return new Map(rows.map((row) => [row.id, rightsOf(row)]));
}

/**
 * The rule about what belongs to an identity: only who has all of its rights may change it, its credentials or its sessions.
 * Everybody may change what is their own, as far as the operation allows it. An unknown identity has no rights.
 *
 * @throws 401 with a cause, unlike for a missing permission
 */
export async function requireRightsOf(db: Kysely<Tables>, asker: RightsAsker, identityId: string): Promise<void> {
  if (!asker || asker.isAdmin || asker.id === identityId) return;
  const row = await db.selectFrom('identities').select(rightsColumns).where('id', '=', identityId).executeTakeFirst();
  if (row && !covers(asker, rightsOf(row))) throw lacksRights('the identity has rights that you do not have');
}

export function lacksRights(message: string): ApiError {
  return new ApiError('UNAUTHORIZED', { cause: { code: 'UNHANDLED', message } });
}
