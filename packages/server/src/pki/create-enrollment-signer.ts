import { randomUUID } from 'node:crypto';
import type { JWTPayload } from 'jose';
import type { EnrollmentSigner } from './enrollment-signer.ts';
import type { ServerKey } from './server-jwt.ts';
import { signWithServerKey } from './server-jwt.ts';

/**
 * Creates the signer. `server` returns the key of the certificate that TLS shows now: a renewal may change it. `issuer` returns
 * the `https://host:port` at which clients reach the controller.
 */
export function createEnrollmentSigner(options: { server: () => ServerKey; issuer: () => string }): EnrollmentSigner {
  const sign = (claims: JWTPayload) => signWithServerKey(options.server(), claims);
  const issuer = () => options.issuer().replace(/\/+$/, '');
  let network: { readonly key: ServerKey; readonly iss: string; readonly jwt: string } | null = null;
  return {
    sign({ ownerId, method, token, expiresAt }) {
      const exp = Math.floor(expiresAt / 1000);
      return sign({ iss: issuer(), sub: ownerId, aud: [''], em: method, jti: token, exp, ctrls: null });
    },
    signForCa(caId) {
      const aud = ['openziti-enroller'];
      return sign({ iss: `${issuer()}/`, sub: caId, aud, em: 'ca', jti: caId, ctrls: null });
    },
    async signForNetwork() {
      const [key, iss] = [options.server(), `${issuer()}/`];
      // Anybody may ask for it, and a signature costs time.
      if (network?.key !== key || network.iss !== iss) {
        const claims = { iss, sub: iss, aud: ['openziti-enroller'], em: 'network', jti: randomUUID(), ctrls: null };
        network = { key, iss, jwt: await sign(claims) };
      }
      return network.jwt;
    },
  };
}
