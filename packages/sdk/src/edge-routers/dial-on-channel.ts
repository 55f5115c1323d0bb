import { randomBytes } from 'node:crypto';
import type { Frame } from '@edge-controller/shared-types/channel';
import { edgeHeaders, edgeTypes, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import { ProofMessages } from './authentication/proof-messages.ts';
import { EdgeConnectionError } from './connection-error.ts';
import { connectionHeaders } from './connection-headers.ts';
import type { KeyPair } from './key-exchange.ts';
import { agreeOnKeys, createKeyPair } from './key-exchange.ts';
import { sendClosed } from './linger.ts';
import { RoutedConnection } from './routed-connection.ts';
import type { RouterChannel } from './router-channel.ts';
import { SecureMessages } from './secure-messages.ts';

export interface Dial {
  readonly service: string;
  /** The JWT of the session for the service. */
  readonly token: string;
  readonly isEncrypted: boolean;
  /** Whether this end proves who it is to one that does, too. */
  readonly offersProof: boolean;
  readonly callerId: string;
  /** The identity of the terminator. */
  readonly identity: string | undefined;
  readonly appData: Uint8Array | undefined;
  readonly allowHalfOpen: boolean;
  readonly signal: AbortSignal;
}

const libsodium = 0;
const ignore = () => undefined;

/**
 * Asks an edge router for a connection to a host of the service.
 *
 * @throws EdgeConnectionError; the reason of the signal
 */
export function dialOn(channel: RouterChannel, dial: Dial): Promise<RoutedConnection> {
  const id = channel.newId();
  const keys = dial.isEncrypted ? createKeyPair() : null;
  const { signal } = dial;
  return new Promise((resolve, reject) => {
    const abort = () => {
      reject(signal.reason);
      sendClosed(channel, id);
    };
    const settle = () => {
      signal.removeEventListener('abort', abort);
      channel.release();
    };
    signal.throwIfAborted();
    signal.addEventListener('abort', abort, { once: true });
    channel.hold();
    channel.ask(edgeTypes.connect, headersOf(dial, id, keys), headerValue.text(dial.token), {
      answered(frame) {
        try {
          // Data may follow at once, so the connection must be there before the promise resolves.
          const connection = open(channel, { ...dial, id, keys }, frame);
          if (connection === null) throw refusal(frame);
          if (signal.aborted) connection.destroy();
          // It may be lost before the caller has it and can listen: then the caller gets one that is destroyed.
          connection.on('error', ignore);
          setImmediate(() => connection.off('error', ignore));
          resolve(connection);
        } catch (error) {
          reject(error);
        } finally {
          settle();
        }
      },
      lost(error) {
        reject(error);
        settle();
      },
    });
  });
}

function headersOf({ callerId, identity, appData }: Dial, id: number, keys: KeyPair | null): Map<number, Uint8Array> {
  const headers = connectionHeaders(id, [
    [edgeHeaders.callerId, headerValue.text(callerId)],
    [edgeHeaders.connectionMarker, headerValue.text(randomBytes(6).toString('base64url'))],
    [edgeHeaders.useFlowControl, headerValue.boolean(false)],
  ]);
  if (identity !== undefined) headers.set(edgeHeaders.terminatorIdentity, headerValue.text(identity));
  if (appData !== undefined) headers.set(edgeHeaders.appData, appData);
  if (keys) {
    headers.set(edgeHeaders.publicKey, keys.publicKey);
    headers.set(edgeHeaders.cryptoMethod, headerValue.u8(libsodium));
  }
  return headers;
}

/** `null`: the router refused. */
function open(
  channel: RouterChannel,
  { id, keys, service, callerId, appData, allowHalfOpen, offersProof }: Dial & { id: number; keys: KeyPair | null },
  { type, headers }: Frame,
): RoutedConnection | null {
  if (type !== edgeTypes.stateConnected) return null;
  try {
    const parts = { channel, id, service, callerId, allowHalfOpen, appData: appData ?? new Uint8Array() };
    const circuitId = readHeader.text(headers.get(edgeHeaders.circuitId)) ?? '';
    return new RoutedConnection({ ...parts, circuitId, secure: keys && secureWith(keys, headers, offersProof) });
  } catch (error) {
    sendClosed(channel, id);
    throw error;
  }
}

function secureWith(keys: KeyPair, headers: Frame['headers'], offersProof: boolean): SecureMessages {
  const peer = headers.get(edgeHeaders.publicKey);
  if (!peer) throw new EdgeConnectionError('NOT_ENCRYPTED');
  try {
    const proofs = offersProof ? new ProofMessages({ dialer: keys.publicKey, host: Uint8Array.from(peer) }) : null;
    return new SecureMessages(agreeOnKeys(keys, peer, 'dials'), proofs);
  } catch (cause) {
    throw new EdgeConnectionError('DAMAGED', { cause });
  }
}

function refusal({ body }: Frame): EdgeConnectionError {
  return new EdgeConnectionError('REFUSED', { reason: new TextDecoder().decode(body) });
}
