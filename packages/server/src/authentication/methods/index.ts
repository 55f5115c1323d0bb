import type { AuthenticationMethod } from '@edge-controller/shared-types';
import { ApiError } from '../../api-error.ts';
import type { AuthenticationMethodHandler } from '../method.ts';
import { password } from './password.ts';

/** The primary methods by their names on the wire. */
export const methods: Readonly<Record<AuthenticationMethod, AuthenticationMethodHandler>> = {
  password,
  // This controller cannot have certificate authenticators or JWT signers, so these methods always fail.
  cert: async () => {
    throw new ApiError('INVALID_AUTH');
  },
  'ext-jwt': async () => {
    throw new ApiError('UNAUTHORIZED');
  },
};
