import { createPrivateKey, X509Certificate } from 'node:crypto';
import { extendedKeyUsages, readCertificate, verifyChain } from '@edge-controller/certificate-path';
import { isLocal } from '../core/text/local-host.ts';
import { namesOf } from './check-server.ts';
import { firstCertificateOf } from './pem.ts';
import type { Pki } from './pki.ts';
import { algorithmOf } from './server-jwt.ts';

/** What a controller signs, and when. `time` is RFC 3339. */
export interface SignedStatement {
  readonly time: string;
}

/** `unknown signer`: the signature is right, but the certificate is not that of a controller as far as this one knows. */
export type ReadStatement = { readonly payload: object } | 'broken' | 'unknown signer';

/** Signs a statement with the key of the server certificate. Returns a JWS in the compact form, with the certificates in it. */
export async function signStatement(
  { serverKeyPem, serverKid: kid, serverPath }: Pki,
  type: string,
  statement: SignedStatement,
): Promise<string> {
  const { CompactSign } = await import('jose');
  const key = createPrivateKey(serverKeyPem);
  // Whoever verifies it has the root.
  const x5c = serverPath.slice(0, -1).map((pem) => firstCertificateOf(pem).toString('base64'));
  return await new CompactSign(new TextEncoder().encode(JSON.stringify(statement)))
    .setProtectedHeader({ alg: algorithmOf(key), typ: type, kid, x5c })
    .sign(key);
}

/**
 * Reads a statement and checks its signature. A signer with the server key of this controller is a controller. So is one whose
 * certificate of the network has a host name of this controller: no router can get such a name.
 */
export async function readStatement(pki: Pki, type: string, jws: string): Promise<ReadStatement> {
  const { compactVerify, decodeProtectedHeader } = await import('jose');
  try {
    const { typ, x5c } = decodeProtectedHeader(jws);
    const chain = (x5c ?? []).map((base64) => Buffer.from(base64, 'base64'));
    const [leaf] = chain;
    if (typ !== type || !leaf) return 'broken';
    const verified = await compactVerify(jws, new X509Certificate(leaf).publicKey);
    const payload: unknown = JSON.parse(new TextDecoder().decode(verified.payload));
    if (typeof payload !== 'object' || payload === null) return 'broken';
    return isController(pki, chain, Date.parse(String(Object(payload).time))) ? { payload } : 'unknown signer';
  } catch {
    return 'broken';
  }
}

function isController({ serverPath, roots }: Pki, [leaf, ...bag]: readonly Buffer[], at: number): boolean {
  const own = readCertificate(firstCertificateOf(serverPath[0] ?? ''));
  if (!leaf) return false;
  const certificate = readCertificate(leaf);
  if (certificate.spki.equals(own.spki)) return true;
  const ownNames = new Set(namesOf(own).filter((name) => !isLocal(name)));
  if (!namesOf(certificate).some((name) => ownNames.has(name))) return false;
  // A checkpoint is older than the certificate that has followed it.
  const requiredExtendedKeyUsage = extendedKeyUsages.serverAuth;
  return verifyChain({ leaf, bag, anchors: roots, at, requiredExtendedKeyUsage, leafDates: 'ignored' }).valid;
}
