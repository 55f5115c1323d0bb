import { networkError } from '#tls-error';
import type { Fetch } from '../api/fetch.ts';
import { EdgeInvalidResponseError } from '../errors/errors.ts';
import { readChildren, readDer } from './der.ts';
import { fromBase64, toPem } from './pem.ts';

export const caBundlePath = '/.well-known/est/cacerts';
/** Characters. The bundle of a controller has a few kilobytes. */
export const maxCaBundle = 1_000_000;

/**
 * Reads the CA certificates of a controller.
 *
 * @throws EdgeNetworkError, EdgeInvalidResponseError when the response is not a bundle
 */
export async function fetchCaBundle(base: string, fetch: Fetch, signal: AbortSignal): Promise<string> {
  const url = base + caBundlePath;
  let response: Response;
  try {
    response = await fetch(url, { signal, redirect: 'error' });
  } catch (error) {
    signal.throwIfAborted();
    throw networkError(url, error);
  }
  const pem = response.ok ? caBundlePem(await response.text()) : null;
  if (pem === null) throw new EdgeInvalidResponseError(url, response.status);
  return pem;
}

/** PEM of the certificates in a certs-only PKCS#7 (RFC 7030, section 4.1.3) in base64, or `null` when it is none. */
export function caBundlePem(base64: string): string | null {
  try {
    if (base64.length > maxCaBundle) return null;
    const bytes = fromBase64(base64);
    // ContentInfo, its content [0], SignedData, certificates [0]
    const content = readChildren(bytes, readDer(bytes, 0)).find(({ tag }) => tag === 0xa0);
    const signedData = content && readDer(bytes, content.start);
    const certificates = signedData && readChildren(bytes, signedData).find(({ tag }) => tag === 0xa0);
    if (certificates === undefined) return null;
    let at = certificates.start;
    const pems = readChildren(bytes, certificates).map(({ end }) => {
      const pem = toPem('CERTIFICATE', bytes.subarray(at, end));
      at = end;
      return pem;
    });
    return pems.length === 0 ? null : pems.join('');
  } catch {
    return null;
  }
}
