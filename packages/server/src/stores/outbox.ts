import type { Transaction } from 'kysely';
import type { Tables } from './entity-store.ts';

/** What a committed entity change still owes to the session store. */
export type Effect =
  | { readonly kind: 'changed'; readonly identityId: string }
  | { readonly kind: 'endSessions'; readonly identityId: string };

/** Carries effects of entity changes to the session store: written in the entity transaction, drained at least once. */
export interface Outbox {
  /** Notes an effect inside the transaction that causes it. */
  add(tx: Transaction<Tables>, effect: Effect): Promise<void>;
  /**
   * Carries out everything noted so far, in order. Called after each commit, at start and on a timer. When the session
   * store cannot be reached the effects stay noted and the call returns: no session can be used meanwhile, and the
   * first touch after the reconnection has a new version.
   */
  drain(): Promise<void>;
}
