import type { AuthenticationMethod } from '@edge-controller/shared-types';
import { ApiError } from '../../api-error.ts';
import type { AuthenticationMethodHandler } from '../method.ts';
import { cert } from './cert/cert.ts';
import { password } from './password.ts';

/** The primary methods by their names on the wire. */
export const methods: Readonly<Record<AuthenticationMethod, AuthenticationMethodHandler>> = {
  password,
  cert,
  // This controller cannot have JWT signers, so this method always fails.
  'ext-jwt': async () => {
    throw new ApiError('UNAUTHORIZED');
  },
};
