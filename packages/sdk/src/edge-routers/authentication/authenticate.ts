import { withDeadline } from '../../errors/deadline.ts';
import { EdgeConnectionError, isEdgeConnectionError } from '../connection-error.ts';
import type { RoutedConnection } from '../routed-connection.ts';
import type { RouterParts } from '../router-parts.ts';
import type { AuthenticationOptions } from './authentication-options.ts';
import type { PeerIdentity } from './peer-identity.ts';
import { isExpected } from './peer-identity.ts';
import type { ProofMessages } from './proof-messages.ts';
import { certificatesIn } from './read-certificate.ts';
import { signWithKey } from './sign-with-key.ts';
import type { Transcript } from './signed-bytes.ts';
import { signedBytes } from './signed-bytes.ts';
import { encodeStatement, refusal } from './statement.ts';
import { verifyStatement } from './verify-statement.ts';

/** What an end needs to prove who it is, and to know who the other one is. */
export interface Proving {
  readonly side: 'dials' | 'hosts';
  readonly options: AuthenticationOptions;
  readonly serviceId: string;
  /** The name of the host that is dialed, or `undefined`. */
  readonly instanceId: string | undefined;
  readonly client: Pick<RouterParts, 'identity' | 'authorities' | 'clock'>;
  readonly signal: AbortSignal;
}

interface Exchange extends Proving {
  readonly connection: RoutedConnection;
  readonly proofs: ProofMessages;
}

/** Milliseconds. */
const timeLimit = 10_000;
const ignore = () => undefined;

/**
 * Sets `peer` of a connection on which nothing was sent yet. A connection whose other end is not the right one is destroyed.
 *
 * @throws EdgeConnectionError `NOT_AUTHENTICATED`, or why the connection has ended; EdgeTimeoutError; the reason of the signal
 */
export async function authenticate(connection: RoutedConnection, proving: Proving): Promise<void> {
  const { signal } = proving;
  connection.on('error', ignore);
  try {
    await withDeadline({ signal, timeout: timeLimit, target: connection.service }, async () => {
      connection.peer = await peerOf(connection, proving);
    });
  } catch (cause) {
    // A host that refuses has said so, and ends the connection itself.
    if (!connection.writableEnded) connection.destroy();
    throw cause;
  } finally {
    setImmediate(() => connection.off('error', ignore));
  }
}

async function peerOf(connection: RoutedConnection, proving: Proving): Promise<PeerIdentity | null> {
  const { proofs } = connection;
  if (!proofs) throw new EdgeConnectionError('NOT_AUTHENTICATED', { reason: 'the service is not encrypted' });
  const peerHeader = await proofs.peerHeader;
  if (!proofs.isAgreed) {
    if (proving.options.authenticate === 'if-possible') return null;
    throw new EdgeConnectionError('NOT_AUTHENTICATED', { reason: 'it cannot prove who it is' });
  }
  const exchange = { ...proving, connection, proofs };
  try {
    return await (proving.side === 'dials' ? dialerPeer : hostPeer)(exchange, transcriptOf(exchange, peerHeader));
  } catch (cause) {
    if (isEdgeConnectionError(cause)) throw cause;
    const reason = cause instanceof Error ? cause.message : '';
    throw new EdgeConnectionError('NOT_AUTHENTICATED', { reason, cause });
  }
}

async function dialerPeer(exchange: Exchange, transcript: Transcript): Promise<PeerIdentity> {
  exchange.connection.sendProof(ownStatement(exchange, transcript));
  return verifyPeer(exchange, transcript);
}

/** Says who it is when it knows who asks: an unauthenticated client learns nothing, and costs no signature. */
async function hostPeer(exchange: Exchange, transcript: Transcript): Promise<PeerIdentity> {
  const { connection, proofs } = exchange;
  await proofs.message;
  try {
    const peer = await verifyPeer(exchange, transcript);
    connection.sendProof(ownStatement(exchange, transcript));
    return peer;
  } catch (error) {
    connection.sendProof(refusal);
    connection.destroySoon();
    throw error;
  }
}

function ownStatement({ side, client }: Exchange, transcript: Transcript): Uint8Array {
  const { key, cert } = client.identity() ?? noCertificate();
  const certificates = certificatesIn(cert);
  const bytes = signedBytes(side, certificates[0] ?? new Uint8Array(), transcript);
  return encodeStatement({ signature: signWithKey(key, bytes), certificates });
}

async function verifyPeer(exchange: Exchange, transcript: Transcript): Promise<PeerIdentity> {
  const { proofs, options, client, side } = exchange;
  const { peer: expected, peerCa } = options;
  const message = await proofs.message;
  const anchors = [peerCa ?? (await client.authorities({ timeout: timeLimit }))].flat().flatMap(certificatesIn);
  const peer = verifyStatement(message, {
    ...{ anchors, transcript, at: client.clock(), namesIdentities: peerCa === undefined },
    side: side === 'dials' ? 'hosts' : 'dials',
  });
  if (!(await isExpected(peer, expected))) throw new Error(`it is ${peer.id ?? 'somebody else'}, who is not expected`);
  return peer;
}

function transcriptOf({ connection, proofs, side, serviceId, instanceId = '' }: Exchange, peerHeader: Uint8Array) {
  const { circuitId, appData } = connection;
  const streamHeaders =
    side === 'dials' ? { dialer: proofs.header, host: peerHeader } : { dialer: peerHeader, host: proofs.header };
  return { publicKeys: proofs.publicKeys, streamHeaders, serviceId, instanceId, circuitId, appData };
}

function noCertificate(): never {
  throw new TypeError('this end has no certificate any more');
}
