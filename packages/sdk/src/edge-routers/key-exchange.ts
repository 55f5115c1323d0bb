import type { KeyObject } from 'node:crypto';
import { createHash, createPublicKey, diffieHellman, generateKeyPairSync } from 'node:crypto';

/** A key pair of X25519. */
export interface KeyPair {
  readonly privateKey: KeyObject;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
}

/** The keys of the two directions of a connection. */
export interface ConnectionKeys {
  readonly receive: Uint8Array;
  readonly send: Uint8Array;
}

const keyLength = 32;
/** What stands before a public key of X25519 in DER (RFC 8410, section 4). */
const spkiStart = Buffer.from('302a300506032b656e032100', 'hex');

export function createKeyPair(): KeyPair {
  const { publicKey, privateKey } = generateKeyPairSync('x25519');
  return { privateKey, publicKey: publicKey.export({ type: 'spki', format: 'der' }).subarray(-keyLength) };
}

/**
 * Agrees on the keys of a connection, as `crypto_kx` of libsodium does. Who dials is the client.
 *
 * @param peer The public key of the other end.
 * @throws Error when it is no key, or one that leads to a secret which anybody can know
 */
export function agreeOnKeys(own: KeyPair, peer: Uint8Array, side: 'dials' | 'hosts'): ConnectionKeys {
  if (peer.length !== keyLength) throw new Error(`a public key has ${peer.length} bytes instead of ${keyLength}`);
  const publicKey = createPublicKey({ key: Buffer.concat([spkiStart, peer]), type: 'spki', format: 'der' });
  const secret = diffieHellman({ privateKey: own.privateKey, publicKey });
  const both = side === 'dials' ? [own.publicKey, peer] : [peer, own.publicKey];
  const keys = createHash('blake2b512')
    .update(Buffer.concat([secret, ...both]))
    .digest();
  const [first, second] = [keys.subarray(0, keyLength), keys.subarray(keyLength)];
  return side === 'dials' ? { receive: first, send: second } : { receive: second, send: first };
}
