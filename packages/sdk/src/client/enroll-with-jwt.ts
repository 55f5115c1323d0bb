import type { EnrolledIdentity, EnrollOptions } from '../api/enroll.ts';
import type { Fetch } from '../api/fetch.ts';
import { loadRest } from '../chunks/load.ts';
import { createEdgeClient } from './create-edge-client.ts';

/**
 * Redeems the enrollment of a JWT at the controller that it names (`iss`). See `Enroll` for the methods.
 *
 * A browser does not show the server certificate, so the signature of the JWT cannot be verified here: the platform must
 * trust the TLS certificate of the controller, and the JWT must come from a trusted person. In Node use `enroll` of
 * `@edge-controller/sdk/node`, which verifies the signature.
 *
 * @throws EdgeEnrollmentError, EdgeApiError, EdgeNetworkError; TypeError when an option is missing
 * @example const { key, cert, ca } = await enroll(jwt);
 */
export async function enroll(jwt: string, options: EnrollOptions & { fetch?: Fetch } = {}): Promise<EnrolledIdentity> {
  const { fetch, ...rest } = options;
  const { issuerOf } = await loadRest();
  return createEdgeClient(issuerOf(jwt), { fetch }).enroll({ jwt }, rest);
}
