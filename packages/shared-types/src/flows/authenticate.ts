import { z } from 'zod';
import { define } from '../definitions.ts';
import type { PrimaryRule } from '../entities/auth-policies.ts';
import { envInfo, sdkInfo } from '../info.ts';
import { defineResource } from '../operation.ts';
import { currentApiSessionDetail } from './current-session.ts';
import { mfaCode } from './mfa.ts';

/** The primary methods by their names on the wire: each with the member of an auth policy that allows it. */
export const authenticationMethods = {
  password: 'updb',
  cert: 'cert',
  'ext-jwt': 'extJwt',
} as const satisfies Readonly<Record<string, PrimaryRule>>;

/** The name of a primary method. */
export type AuthenticationMethod = keyof typeof authenticationMethods;

const authenticationMethod = z.enum(Object.keys(authenticationMethods) as AuthenticationMethod[]);

/** The schema accepts an empty text. The authentication method then refuses it, as on the wire. */
const emptyOr = (min: number) =>
  z
    .string()
    .max(100)
    .refine((text) => text === '' || text.length >= min, {
      error: `should be at least ${min} chars long`,
    });

/** The body of a sign-in. Certificates and JWTs need neither user name nor password. */
export const authenticate = define(
  'authenticate',
  z.object({
    username: emptyOr(4).nullish(),
    password: emptyOr(5).nullish(),
    /** Config types that the session can read. */
    configTypes: z.array(z.string()).max(64).nullish(),
    envInfo: envInfo.nullish(),
    sdkInfo: sdkInfo.nullish(),
  }),
);

export type Authenticate = z.output<typeof authenticate>;

/** Signs in: opens an API session, and answers its authentication queries. */
export const authentication = defineResource({
  authenticate: {
    method: 'POST',
    path: '/authenticate',
    access: 'anyone',
    attempt: true,
    result: 'detail',
    query: z.object({ method: authenticationMethod }),
    body: authenticate,
    bodyOptional: true,
    ignoresAccept: true,
    response: currentApiSessionDetail,
    summary: 'Proves an identity with primary credentials and opens an API session',
  },
  mfa: {
    method: 'POST',
    path: '/authenticate/mfa',
    access: 'partial',
    attempt: true,
    result: 'empty',
    body: mfaCode,
    errors: ['MFA_NOT_ENROLLED', 'SERVER_TOO_MANY_REQUESTS'],
    summary: 'Answers the MFA query of the API session with a TOTP code or a recovery code',
  },
});
