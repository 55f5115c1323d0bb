import type { Authenticate } from '@edge-controller/shared-types';
import type { Call } from '../call.ts';

/** What a primary method proved. */
export interface Proven {
  readonly identityId: string;
  readonly authenticatorId: string;
  /** False when what was proven was changed or removed meanwhile: asked again after the session was written. */
  stillHolds(): Promise<boolean>;
}

/** A primary authentication method. Throws `ApiError` when the credentials prove nothing. */
export type AuthenticationMethodHandler = (call: Call, body: Authenticate) => Promise<Proven>;
