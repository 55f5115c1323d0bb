import type { AuthenticationMethod } from '@edge-controller/shared-types';
import { ApiError } from '../../api-error.ts';
import type { AuthenticationMethodHandler } from '../method.ts';
import { password } from './password.ts';

/** The primary methods by their name on the wire. */
export const methods: Readonly<Record<AuthenticationMethod, AuthenticationMethodHandler>> = {
  password,
  // No certificate authenticator and no JWT signer can exist on this controller: nothing presented can match one.
  cert: async () => {
    throw new ApiError('INVALID_AUTH');
  },
  'ext-jwt': async () => {
    throw new ApiError('UNAUTHORIZED');
  },
};
