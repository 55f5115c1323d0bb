import { createPrivateKey } from 'node:crypto';
import type { EnrollmentSigner } from './enrollment-signer.ts';
import type { Pki } from './pki.ts';

/** Creates the signer. `issuer` returns the `https://host:port` at which clients reach the controller. */
export function createEnrollmentSigner(options: {
  pki: Pick<Pki, 'serverKeyPem' | 'serverKid'>;
  issuer: () => string;
}): EnrollmentSigner {
  const key = createPrivateKey(options.pki.serverKeyPem);
  const header = { alg: 'ES256', typ: 'JWT', kid: options.pki.serverKid };
  return {
    async sign({ identityId, method, token, expiresAt }) {
      // Imported here, because most processes sign no enrollment.
      const { SignJWT } = await import('jose');
      return new SignJWT({
        iss: options.issuer().replace(/\/+$/, ''),
        sub: identityId,
        aud: [''],
        em: method,
        jti: token,
        exp: Math.floor(expiresAt / 1000),
        ctrls: null,
      })
        .setProtectedHeader(header)
        .sign(key);
    },
  };
}
