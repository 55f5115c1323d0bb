import type { KeyObject } from 'node:crypto';
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';

/** Writes certificates, also those that no library would. The DER of a part can be replaced by anything. */

export interface KeyPair {
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
}

/** One that signs: itself when it is a root. */
export interface Authority {
  readonly der: Buffer;
  readonly keys: KeyPair;
  /** DER of its Name. */
  readonly subject: Buffer;
}

export interface Template {
  /** `null`: the certificate signs itself. */
  readonly issuer: Authority | null;
  /** A common name, or the DER of a Name. */
  readonly subject: string | Buffer;
  readonly keys?: KeyPair;
  /** Instead of that of `keys`. */
  readonly spki?: Buffer;
  /** Instead of the name of the issuer. */
  readonly issuerName?: Buffer;
  /** Default 3. */
  readonly version?: number;
  /** Content of the INTEGER. */
  readonly serialNumber?: Buffer;
  readonly notBefore?: Date | Buffer;
  readonly notAfter?: Date | Buffer;
  readonly extensions?: readonly Buffer[];
  /** How it is signed, as DER and a function. Default: by the key of the issuer. */
  readonly signing?: Signing;
  readonly outerAlgorithm?: Buffer;
  /** Changes the signed part before it is signed. */
  readonly change?: (tbs: Buffer) => Buffer;
}

export interface Signing {
  readonly algorithm: Buffer;
  sign(data: Buffer): Buffer;
}

export const now = Date.UTC(2026, 5, 1);
const year = 365 * 86_400_000;

export const der = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  if (length < 0x100) return Buffer.concat([Buffer.from([tag, 0x81, length]), content]);
  if (length < 0x1_0000) return Buffer.concat([Buffer.from([tag, 0x82, length >> 8, length & 0xff]), content]);
  return Buffer.concat([Buffer.from([tag, 0x83, length >> 16, (length >> 8) & 0xff, length & 0xff]), content]);
};
export const sequence = (...parts: readonly Buffer[]) => der(0x30, ...parts);

/** What is inside an element. */
export function contentOf(element: Buffer): Buffer {
  const first = element.readUInt8(1);
  return element.subarray(first < 0x80 ? 2 : 2 + (first - 0x80));
}
export const derNull = Buffer.from('0500', 'hex');
export const derTrue = Buffer.from('0101ff', 'hex');

export function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...others] = dotted.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...others].flatMap(base128)));
}

function base128(arc: number): number[] {
  const octets = [arc % 128];
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) octets.unshift(0x80 + (rest % 128));
  return octets;
}

/** A Name. `types`: pairs of an object identifier and a text, or the DER of a value; each pair is one RDN. */
export function nameOf(...types: readonly (readonly [string, string | Buffer])[]): Buffer {
  return sequence(
    ...types.map(([type, value]) => {
      return der(0x31, sequence(oid(type), typeof value === 'string' ? der(0x0c, Buffer.from(value)) : value));
    }),
  );
}
export const commonName = (text: string) => nameOf(['2.5.4.3', text]);

export function timeOf(date: Date): Buffer {
  const digits = date.toISOString().replace(/\D/g, '').slice(0, 14);
  return date.getUTCFullYear() < 2050 ? der(0x17, ascii(`${digits.slice(2)}Z`)) : der(0x18, ascii(`${digits}Z`));
}
export const ascii = (text: string) => Buffer.from(text, 'latin1');

/** Writes and signs a certificate: by default a version 3 certificate without extensions, valid for a year around `now`. */
export function write(template: Template): Authority {
  const keys = template.keys ?? newKeys();
  const subject = typeof template.subject === 'string' ? commonName(template.subject) : template.subject;
  const signing = template.signing ?? signingOf(template.issuer?.keys ?? keys);
  const { version = 3, serialNumber = Buffer.from([1, ...randomBytes(8)]), extensions = [] } = template;
  const time = (value: Date | Buffer) => (Buffer.isBuffer(value) ? value : timeOf(value));
  const tbs = sequence(
    ...(version === 1 ? [] : [der(0xa0, der(0x02, Buffer.from([version - 1])))]),
    der(0x02, serialNumber),
    signing.algorithm,
    template.issuerName ?? template.issuer?.subject ?? subject,
    sequence(time(template.notBefore ?? new Date(now - year)), time(template.notAfter ?? new Date(now + year))),
    subject,
    template.spki ?? keys.publicKey.export({ type: 'spki', format: 'der' }),
    ...(extensions.length > 0 ? [der(0xa3, sequence(...extensions))] : []),
  );
  const signed = template.change?.(tbs) ?? tbs;
  const signature = der(0x03, Buffer.from([0]), signing.sign(signed));
  return { der: sequence(signed, template.outerAlgorithm ?? signing.algorithm, signature), keys, subject };
}

/** PEM of a certificate, or of other DER with its label. */
export function pemOf({ der }: Pick<Authority, 'der'>, label = 'CERTIFICATE'): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? [];
  return [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`, ''].join('\n');
}

/** Key pairs are made once and handed out again: what matters here is only which ones differ. */
const pool: KeyPair[] = [];
let used = 0;
/** A P-256 key that no other certificate of this test has. */
export function newKeys(): KeyPair {
  used += 1;
  pool[used - 1] ??= generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return pool[used - 1]!;
}
/** Makes the keys of the tests before available again. */
export function reuseKeys(): void {
  used = 0;
}

const [rsaPss, ecdsa, ed25519] = ['1.2.840.113549.1.1.10', '1.2.840.10045.4.3', '1.3.101.112'];

/** SHA-256 with the key, or Ed25519. */
export function signingOf({ privateKey }: KeyPair): Signing {
  const type = privateKey.asymmetricKeyType;
  if (type === 'ed25519') return { algorithm: sequence(oid(ed25519)), sign: (data) => sign(null, data, privateKey) };
  const algorithm = type === 'rsa' ? sequence(oid('1.2.840.113549.1.1.11'), derNull) : sequence(oid(`${ecdsa}.2`));
  return { algorithm, sign: (data) => sign('sha256', data, privateKey) };
}

/** RSA-PSS with hash, MGF1 hash and salt length as they are asked for. */
export function pssSigning(
  { privateKey }: KeyPair,
  hash: 256 | 384 | 512,
  mgf1 = hash,
  saltLength = hash / 8,
): Signing {
  const hashOf = (bits: number) => sequence(oid(`2.16.840.1.101.3.4.2.${[256, 384, 512].indexOf(bits) + 1}`), derNull);
  const parameters = sequence(
    der(0xa0, hashOf(hash)),
    der(0xa1, sequence(oid('1.2.840.113549.1.1.8'), hashOf(mgf1))),
    der(0xa2, der(0x02, Buffer.from([saltLength]))),
  );
  return {
    algorithm: sequence(oid(rsaPss), parameters),
    sign: (data) => sign(`sha${hash}`, data, { key: privateKey, padding: 6, saltLength }),
  };
}

export function keyId({ publicKey }: KeyPair): Buffer {
  return createHash('sha1')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest();
}
