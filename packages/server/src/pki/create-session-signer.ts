import type { ServerKey } from './server-jwt.ts';
import { signWithServerKey } from './server-jwt.ts';
import type { SessionSigner } from './session-signer.ts';

/** Seconds for which the signature is good. The API session bounds the session long before. */
const lifetime = 365 * 24 * 3_600;

/**
 * Creates the signer. `server` returns the key of the certificate that TLS shows now. `issuer` returns the `https://host:port` at
 * which clients reach the controller.
 *
 * A signature costs more than all the rest of a request. Who asks for a session while its JWT is being signed gets this JWT.
 */
export function createSessionSigner(options: { server: () => ServerKey; issuer: () => string }): SessionSigner {
  const signing = new Map<string, Promise<string>>();
  return {
    sign({ id, type, serviceId, apiSessionId, identityId, issuedAt }) {
      const running = signing.get(id);
      if (running) return running;
      const iat = Math.floor(issuedAt / 1_000);
      const jwt = signWithServerKey(options.server(), {
        iss: options.issuer(),
        sub: serviceId,
        aud: ['openziti'],
        iat,
        exp: iat + lifetime,
        jti: id,
        z_asid: apiSessionId,
        z_iid: identityId,
        z_t: 's',
        z_st: type,
        z_leg: true,
      }).finally(() => signing.delete(id));
      signing.set(id, jwt);
      return jwt;
    },
  };
}
