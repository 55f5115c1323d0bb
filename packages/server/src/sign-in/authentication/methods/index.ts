import type { AuthenticationMethod } from '@edge-controller/shared-types';
import type { AuthenticationMethodHandler } from '../method.ts';
import { cert } from './cert/cert.ts';
import { extJwt } from './ext-jwt.ts';
import { password } from './password.ts';

/** The primary methods by their names on the wire. */
export const methods: Readonly<Record<AuthenticationMethod, AuthenticationMethodHandler>> = {
  password,
  cert,
  'ext-jwt': extJwt,
};
