import type { FullSession, PartialSession, Session } from './session.ts';

/**
 * The state of a client together with its session: what `edge.getSnapshot` and the hooks of the frameworks return. Each follows
 * from the other, so a check of `state` narrows `session`. It is frozen, and the same object until one of the two changes.
 */
export type SessionSnapshot =
  | { readonly state: 'active'; readonly session: FullSession }
  | { readonly state: 'partial'; readonly session: PartialSession }
  | { readonly state: 'stale'; readonly session: Session }
  | { readonly state: 'signed-out' | 'unknown' | 'expired'; readonly session: null };
