import { certificatesOf } from '../../src/pki/pem.ts';
import { pemOf } from './certificate-writer.ts';
import { createTestCa } from './test-ca.ts';

export interface ClientChain {
  /** PEM of the private key of the leaf. */
  readonly key: string;
  /** DER: the leaf, then its issuers up to the last one below the root. */
  readonly der: readonly Buffer[];
  /** PEM of the certificates of `der` with these indexes. */
  pem(...indexes: readonly number[]): string;
}

/** A client certificate below so many intermediates of a root of their own. */
export function createClientChain(intermediates: number): ClientChain {
  let ca = createTestCa();
  for (let below = 0; below < intermediates; below += 1) ca = ca.intermediate();
  const { key, cert } = ca.client('a device');
  const der = certificatesOf(cert);
  return { key, der, pem: (...indexes) => indexes.map((at) => pemOf({ der: der[at]! })).join('') };
}
