import type { X509Certificate } from 'node:crypto';

/**
 * Who the other end of a connection has proven to be. A certificate says who somebody is, not what they may do.
 *
 * @example
 * const peer: PeerIdentity | null = connection.peer;
 * if (peer?.id !== identityId) connection.destroy();
 */
export interface PeerIdentity {
  /** The id of the identity. `null` when the certificate is from a CA of `peerCa`. */
  readonly id: string | null;
  /** For this key, the other end has proven to have it. */
  readonly certificate: X509Certificate;
}

/** The id of an identity, several of them, or a function that says whether it is the right one. It may throw. */
export type ExpectedPeer = string | readonly string[] | ((peer: PeerIdentity) => boolean | Promise<boolean>);

export async function isExpected(peer: PeerIdentity, expected: ExpectedPeer | undefined): Promise<boolean> {
  if (expected === undefined) return true;
  if (typeof expected === 'function') return (await expected(peer)) === true;
  return peer.id !== null && [expected].flat().includes(peer.id);
}
