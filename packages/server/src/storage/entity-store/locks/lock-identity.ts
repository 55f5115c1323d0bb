import type { Transaction } from 'kysely';
import type { EntityStore, Tables } from '../entity-store.ts';
import { lockOwner } from './enrollment-owner.ts';

/**
 * Locks an identity for the rest of the transaction. All changes of several rows of an identity lock it first, as its
 * deletion does: another order could deadlock. Returns false when there is no such identity.
 */
export function lockIdentity(
  store: Pick<EntityStore, 'sql'>,
  tx: Transaction<Tables>,
  identityId: string,
): Promise<boolean> {
  return lockOwner(store, tx, { table: 'identities', id: identityId });
}
