import type { EnrolledIdentity, EnrollOptions } from '../api/enroll.ts';
import { createEdgeClient } from '../client/create-edge-client.ts';
import { issuerOf } from '../enrollment/enrollment-jwt.ts';
import { systemClock } from '../lib/clock.ts';
import { trustController } from './controller-trust.ts';
import { mtls } from './mtls.ts';
import { nodeFetch } from './node-fetch.ts';

/**
 * Options of `enroll` in Node.
 *
 * @example
 * const options: NodeEnrollOptions = { keyType: 'rsa', timeout: 10_000 };
 * const identity = await enroll(jwt, options);
 */
export interface NodeEnrollOptions extends EnrollOptions {
  /** `ottca`, `ca`: the certificate of the client in PEM, then its intermediates. `key` is its key. */
  readonly cert?: string | undefined;
}

/** Milliseconds. */
const defaultTimeout = 30_000;

/**
 * Redeems the enrollment of a JWT at the controller that it names (`iss`). It needs no other information: it verifies the JWT
 * with the TLS certificate of the controller, and every later connection with the CA certificates (`ca`) that the controller
 * then sends.
 *
 * - `ott`: makes a key and gets a certificate; returns `key`, `cert` and `ca`
 * - `ottca`, `ca`: needs `key` and `cert`; returns them with `ca`
 * - `updb`: needs `password`; returns `username` and `ca`
 *
 * @throws EdgeEnrollmentError, EdgeApiError, EdgeNetworkError, EdgeTlsError, EdgeTimeoutError; TypeError when an option
 *   is missing
 * @example
 * const identity = await enroll(jwt);
 * await saveIdentity('sensor.json', identity);
 * const edge = createEdgeClient(identity.url, { fetch: mtls('sensor.json') });
 * await edge.signIn.certificate();
 */
export async function enroll(jwt: string, options: NodeEnrollOptions = {}): Promise<EnrolledIdentity> {
  const { cert, key, ...rest } = options;
  const issuer = issuerOf(jwt);
  const { signal, timeout = defaultTimeout } = options;
  const ca = await trustController(jwt, issuer, { signal, timeout, clock: systemClock });
  if (cert === undefined) {
    return { ca, ...(await createEdgeClient(issuer, { fetch: nodeFetch({ ca }) }).enroll({ jwt }, { ...rest, key })) };
  }
  if (typeof key !== 'string') throw new TypeError('the key of the certificate must be given in PEM');
  const enrolled = await createEdgeClient(issuer, { fetch: mtls({ key, cert, ca }) }).enroll({ jwt }, rest);
  return { key, cert, ...enrolled };
}
