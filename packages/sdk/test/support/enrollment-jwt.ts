import { createHash, createPrivateKey, sign, X509Certificate } from 'node:crypto';
import type { Issued } from './openssl.ts';

const hour = 3_600_000;
const hashes: Record<string, string> = { RS256: 'sha256', ES256: 'sha256', ES384: 'sha384', ES512: 'sha512' };

interface JwtParts {
  readonly alg?: string;
  readonly kid?: string | undefined;
  readonly claims?: object;
}

/** The enrollment JWT of a controller whose TLS certificate is `signer`. */
export function enrollmentJwt(
  url: string,
  signer: Issued,
  { alg = 'ES256', claims = {}, ...more }: JwtParts = {},
): string {
  const kid = createHash('sha1').update(new X509Certificate(signer.cert).raw).digest('hex');
  const all = {
    iss: url,
    sub: 'identity-1',
    aud: [''],
    em: 'ott',
    jti: 'one-time',
    exp: (Date.now() + hour) / 1000,
    ctrls: null,
  };
  const parts = [
    { alg, typ: 'JWT', kid, ...more },
    { ...all, ...claims },
  ];
  const text = parts.map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  const key = { key: createPrivateKey(signer.key), dsaEncoding: 'ieee-p1363' } as const;
  return `${text}.${sign(hashes[alg] ?? 'sha256', Buffer.from(text), key).toString('base64url')}`;
}
