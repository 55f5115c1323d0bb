import type { SessionSubset } from '../session-store/session-store.ts';

/** What must happen in the session store after an entity change is committed. */
export type Effect =
  /** Data that decides about sessions was changed. Every replica must read it again. */
  | { readonly kind: 'changed' }
  /** An API session ends whose owner signed out while the session store could not be read. */
  | { readonly kind: 'endSession'; readonly tokenHash: string }
  /** The API sessions of an identity end: all of them, or those that `which` selects. */
  | { readonly kind: 'endSessions'; readonly identityId: string; readonly which?: SessionSubset }
  /**
   * The API sessions that were made through a third-party CA end. Its row is deleted, not enabled for authentication, or has
   * a raised `authVersion`. Every replica must read this again.
   */
  | { readonly kind: 'endCaSessions'; readonly caId: string }
  /** The same with an external JWT signer, which is deleted, not enabled, or has a raised `authVersion`. */
  | { readonly kind: 'endSignerSessions'; readonly signerId: string }
  /** Rights to services were changed. Every replica must read them again. Sessions in the scope whose right is lost end. */
  | { readonly kind: 'rights'; readonly scope: RightsScope };

/** Which sessions of services may have lost their right: none, those of an identity, those of a service, or any. */
export type RightsScope = 'none' | 'all' | { readonly identityId: string } | { readonly serviceId: string };
