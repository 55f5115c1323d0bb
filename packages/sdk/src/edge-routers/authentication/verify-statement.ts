import type { PeerIdentity } from './peer-identity.ts';
import { isSignedWith } from './sign-with-key.ts';
import type { Transcript } from './signed-bytes.ts';
import { signedBytes } from './signed-bytes.ts';
import { readStatement, refusal } from './statement.ts';
import { verifyChain } from './verify-chain.ts';

interface Verification {
  /** DER of the CA certificates that are trusted. */
  readonly anchors: readonly Buffer[];
  readonly transcript: Transcript;
  /** The side of who has made the statement. */
  readonly side: 'dials' | 'hosts';
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Whether the anchors are those of the network, whose certificates name identities. */
  readonly namesIdentities: boolean;
}

/** As the controller names identities and, with more behind it, their API sessions. Routers cannot have such a name. */
const spiffeId = /^spiffe:\/\/[^/]+\/identity\/([^/]+)(\/.*)?$/;

/**
 * Who has made a statement about this connection.
 *
 * @throws Error with the reason
 */
export function verifyStatement(message: Uint8Array, verification: Verification): PeerIdentity {
  if (refusal.length === message.length && refusal[0] === message[0]) {
    throw new Error('it has refused the certificate of this end');
  }
  const { anchors, transcript, side, at, namesIdentities } = verification;
  const { signature, certificates } = readStatement(message);
  const { certificate, uris } = verifyChain({ certificates, anchors, at });
  if (!isSignedWith(certificate.publicKey, signedBytes(side, certificate.raw, transcript), signature)) {
    throw new Error('its signature is not of this connection: somebody on the way may have changed the keys');
  }
  return { id: namesIdentities ? identityOf(uris) : null, certificate };
}

function identityOf(uris: readonly string[]): string {
  const [[, id, session] = [], ...others] = uris.flatMap((uri) => {
    const found = spiffeId.exec(uri);
    return found ? [found] : [];
  });
  if (id === undefined || others.length > 0) throw new Error('its certificate names no identity of the network');
  // With the token of the session, which each edge router of the identity has, anybody gets one.
  if (session !== undefined) throw new Error('its certificate is that of an API session, which proves nothing');
  return id;
}
