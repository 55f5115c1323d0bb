import type { Authenticate } from '@edge-controller/shared-types';
import type { Call } from '../call.ts';

/** The identity that a primary method has authenticated. */
export interface AuthenticationResult {
  readonly identityId: string;
  readonly authenticatorId: string;
  /** Returns false when the credentials were changed or removed meanwhile. Called after the session is stored. */
  isStillValid(): Promise<boolean>;
}

/**
 * A primary authentication method.
 *
 * @throws ApiError when the credentials are not valid
 */
export type AuthenticationMethodHandler = (call: Call, body: Authenticate) => Promise<AuthenticationResult>;
