import type { KeyPair, Signing } from './certificate-writer.ts';
import { commonName, der, newKeys, pemOf, sequence, signingOf } from './certificate-writer.ts';

/** Writes a certification request (PKCS#10) in PEM. `attributes` is the DER of what is requested. */
export function writeCsr(
  subject: string | Buffer,
  { keys = newKeys(), signer = keys, signing = signingOf(signer), attributes = [] }: CsrOptions = {},
): string {
  const info = sequence(
    der(0x02, Buffer.from([0])),
    typeof subject === 'string' ? commonName(subject) : subject,
    keys.publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa0, ...attributes),
  );
  const request = sequence(info, signing.algorithm, der(0x03, Buffer.from([0]), signing.sign(info)));
  return pemOf({ der: request }, 'CERTIFICATE REQUEST');
}

interface CsrOptions {
  readonly keys?: KeyPair;
  /** Who signs instead of `keys`. */
  readonly signer?: KeyPair;
  /** How it is signed. Default: with SHA-256. */
  readonly signing?: Signing;
  readonly attributes?: readonly Buffer[];
}
