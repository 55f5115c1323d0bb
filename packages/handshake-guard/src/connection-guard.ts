import type { Socket } from 'node:net';

/** What is known of a connection that a guarded server has accepted. */
export interface ConnectionGuard {
  /** All certificates that the client sent, in this order; `null` when nobody read its handshake. */
  readonly certificates: readonly Buffer[] | null;
  /** Call it when an API session is used on the connection. */
  readonly sawSession?: () => void;
  /** Whether the certificates of the client may be read in a way that leaks memory. */
  readonly mayLeak: () => boolean;
}

/** By connection. A server of an embedder may have no guard. */
export const guards = new WeakMap<Socket, ConnectionGuard>();
