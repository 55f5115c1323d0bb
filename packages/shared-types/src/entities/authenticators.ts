import { z } from 'zod';
import { define } from '../definitions.ts';
import { entityOperations } from '../entity.ts';
import { baseEntity, dateTime, entityRef, tags } from '../envelope.ts';
import { defineResource } from '../operation.ts';

export const authenticatorDetail = define(
  'authenticatorDetail',
  z.object({
    ...baseEntity,
    method: z.enum(['updb', 'cert']),
    identityId: z.string(),
    identity: entityRef,
    username: z.string().optional(),
    certPem: z.string().optional(),
    fingerprint: z.string().optional(),
    isIssuedByNetwork: z.boolean().optional(),
    isExtendRequested: z.boolean().optional(),
    isKeyRollRequested: z.boolean().optional(),
    extendRequestedAt: dateTime.optional(),
    lastAuthResolvedToRoot: z.boolean().optional(),
  }),
);

/** Length of user names and passwords. The auth policy of the identity may require longer passwords. */
export const username = z.string().min(4).max(100);
export const password = z.string().min(5).max(100);

export const authenticatorCreate = define(
  'authenticatorCreate',
  z.object({
    method: z.string(),
    identityId: z.string(),
    username: z.string().max(100).nullish(),
    password: z.string().max(100).nullish(),
    certPem: z.string().nullish(),
    tags: tags.nullish(),
  }),
);

export const authenticatorUpdate = define(
  'authenticatorUpdate',
  z.object({ username, password, tags: tags.nullish() }),
);

export const authenticatorPatch = define(
  'authenticatorPatch',
  z.object({ username: username.nullish(), password: password.nullish(), tags: tags.nullish() }),
);

export type AuthenticatorDetail = z.output<typeof authenticatorDetail>;
export type AuthenticatorCreate = z.output<typeof authenticatorCreate>;
export type AuthenticatorUpdate = z.output<typeof authenticatorUpdate>;
export type AuthenticatorPatch = z.output<typeof authenticatorPatch>;

/** Operations on authenticators. A new password ends the API sessions of the identity, but not the caller's session. */
export const authenticators = defineResource(
  entityOperations({
    path: '/authenticators',
    noun: 'authenticator',
    plural: 'authenticators',
    permission: 'authenticator',
    adminWrites: true,
    detail: authenticatorDetail,
    create: authenticatorCreate,
    update: authenticatorUpdate,
    patch: authenticatorPatch,
  }),
);
