import type { ClientKeys } from '../api/client-keys.ts';
import { der, integer, objectId, sequence } from './der.ts';
import { toPem } from './pem.ts';

/** `2.5.4.3`, commonName. */
const commonNameId = '550403';
/** Object identifiers of signature algorithms (RFC 5758, RFC 4055) and the hashes that belong to the curves. */
const ecdsa: Readonly<Record<string, readonly [hash: string, id: string]>> = {
  'P-256': ['SHA-256', '2a8648ce3d040302'],
  'P-384': ['SHA-384', '2a8648ce3d040303'],
  'P-521': ['SHA-512', '2a8648ce3d040304'],
};
const rsaSha256Id = '2a864886f70d01010b';

/**
 * Creates a certificate signing request (PKCS#10, RFC 2986) in PEM. Its subject is the common name, and it requests no
 * extensions: the controller sets them.
 *
 * @throws TypeError when the key is of another type
 * @example
 * const keys = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify']);
 * const csr = await createCsr('sensor-1', keys);
 */
export async function createCsr(commonName: string, keys: ClientKeys): Promise<string> {
  const name = sequence(der(0x31, sequence(objectId(commonNameId), der(0x0c, new TextEncoder().encode(commonName)))));
  const publicKey = new Uint8Array(await crypto.subtle.exportKey('spki', keys.publicKey));
  const info = sequence(integer(Uint8Array.of(0)), name, publicKey, der(0xa0));
  const { algorithm, signature } = await sign(info, keys.privateKey);
  return toPem('CERTIFICATE REQUEST', sequence(info, algorithm, der(0x03, Uint8Array.of(0), signature)));
}

async function sign(data: Uint8Array<ArrayBuffer>, key: ClientKeys['privateKey']) {
  const { name, namedCurve = '' } = key.algorithm as { name: string; namedCurve?: string };
  const [hash, id] = ecdsa[namedCurve] ?? [];
  if (name === 'ECDSA' && hash !== undefined && id !== undefined) {
    const raw = new Uint8Array(await crypto.subtle.sign({ name, hash }, key, data));
    // WebCrypto joins r and s. A certificate needs a sequence of two integers.
    const [r, s] = [raw.subarray(0, raw.length / 2), raw.subarray(raw.length / 2)];
    return { algorithm: sequence(objectId(id)), signature: sequence(integer(r), integer(s)) };
  }
  const { hash: rsaHash } = key.algorithm as { hash?: { name: string } };
  if (name !== 'RSASSA-PKCS1-v1_5' || rsaHash?.name !== 'SHA-256') {
    throw new TypeError('the key must be ECDSA, or RSASSA-PKCS1-v1_5 with SHA-256');
  }
  const algorithm = sequence(objectId(rsaSha256Id), der(0x05));
  return { algorithm, signature: new Uint8Array(await crypto.subtle.sign(name, key, data)) };
}
