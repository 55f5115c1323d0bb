import type { EnrollmentResult } from '@edge-controller/shared-types';
import type { ClientCalls } from './calls.ts';
import type { CallOptions } from './options.ts';

/** The enrollment to redeem: the JWT from the administrator, or only the one-time token in it. */
export type Enrollment = { readonly jwt: string } | { readonly token: string; readonly method?: 'updb' };

/** The new credentials of the identity. Default for `username`: the one in the enrollment. */
export interface EnrollmentCredentials {
  readonly password: string;
  readonly username?: string;
}

export type Enroll = (
  enrollment: Enrollment,
  credentials: EnrollmentCredentials,
  options?: CallOptions,
) => Promise<EnrollmentResult>;

/** Creates the function that redeems an enrollment of method `updb`. */
export function createEnroll(client: ClientCalls): Enroll {
  return async (enrollment, credentials, options) => {
    const { token, method } = 'jwt' in enrollment ? readJwt(enrollment.jwt) : { method: 'updb', ...enrollment };
    if (method !== 'updb')
      throw new TypeError(`an enrollment of method "${method}" cannot be redeemed with a password`);
    return await client.enroll.enroll({ method, token }, { ...credentials }, options);
  };
}

/** Does not verify the signature: the controller checks the token, and TLS authenticates the controller. */
function readJwt(jwt: string): { token: string; method: string } {
  const claims = readClaims(jwt);
  const { jti, em } = claims;
  if (typeof jti !== 'string' || typeof em !== 'string')
    throw new TypeError('the JWT is not an enrollment of an edge controller');
  return { token: jti, method: em };
}

function readClaims(jwt: string): Record<string, unknown> {
  try {
    const payload = (jwt.trim().split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(payload), (char) => char.charCodeAt(0));
    const claims: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (typeof claims === 'object' && claims !== null) return { ...claims };
  } catch {
    // The error of the parser would quote parts of the token.
  }
  throw new TypeError('the enrollment is not a JWT');
}
