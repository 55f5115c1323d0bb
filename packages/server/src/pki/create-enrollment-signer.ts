import type { KeyObject } from 'node:crypto';
import { randomUUID } from 'node:crypto';
import type { JWTPayload } from 'jose';
import type { EnrollmentSigner } from './enrollment-signer.ts';

/** What a TLS server proves its identity with. */
export interface ServerKey {
  readonly key: KeyObject;
  /** SHA-1 of the certificate, in lower-case hex. */
  readonly kid: string;
}

/**
 * Creates the signer. `server` returns the key of the certificate that TLS shows now: a renewal may change it. `issuer` returns
 * the `https://host:port` at which clients reach the controller.
 */
export function createEnrollmentSigner(options: { server: () => ServerKey; issuer: () => string }): EnrollmentSigner {
  const sign = async (claims: JWTPayload): Promise<string> => {
    // Imported here, because most processes sign no enrollment.
    const { SignJWT } = await import('jose');
    const { key, kid } = options.server();
    return new SignJWT(claims).setProtectedHeader({ alg: algorithmOf(key), typ: 'JWT', kid }).sign(key);
  };
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

const curves: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' };

/** The JWT algorithm of a key. */
function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string {
  const algorithm = asymmetricKeyType === 'rsa' ? 'RS256' : curves[asymmetricKeyDetails?.namedCurve ?? ''];
  if (algorithm === undefined) throw new Error(`no JWT can be signed with a key of type ${asymmetricKeyType}`);
  return algorithm;
}
