import { randomUUID } from 'node:crypto';
import type { JWTPayload } from 'jose';
import type { EnrollmentSigner } from './enrollment-signer.ts';
import type { ServerKey } from './server-jwt.ts';
import { signWithServerKey } from './server-jwt.ts';

interface Options {
  /** The key of the certificate that TLS shows now: a renewal may change it. */
  readonly server: () => ServerKey;
  /** The `https://host:port` at which clients reach the controller. */
  readonly issuer: () => string;
  /** The addresses at which edge routers reach the controllers, such as `tls:host:port`. Default: none. */
  readonly ctrls?: () => readonly string[] | null;
}

/** Creates the signer. */
export function createEnrollmentSigner(options: Options): EnrollmentSigner {
  const sign = (claims: JWTPayload) => signWithServerKey(options.server(), claims);
  const issuer = () => options.issuer().replace(/\/+$/, '');
  let network: { readonly key: ServerKey; readonly iss: string; readonly jwt: string } | null = null;
  return {
    sign({ ownerId, method, token, expiresAt }) {
      const exp = Math.floor(expiresAt / 1000);
      const isOfRouter = method === 'erott' || method === 'trott';
      const ctrls = isOfRouter ? (options.ctrls?.() ?? null) : null;
      return sign({ iss: issuer(), sub: ownerId, aud: [''], em: method, jti: token, exp, ctrls });
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
