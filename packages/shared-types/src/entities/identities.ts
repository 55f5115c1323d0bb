import { z } from 'zod';
import { define } from '../definitions.ts';
import { entityOperations } from '../entity.ts';
import { baseEntity, dateTime, entityRef, idParams, listQuery, tags } from '../envelope.ts';
import { envInfo, sdkInfo } from '../info.ts';
import { defineResource } from '../operation.ts';
import { authenticatorDetail } from './authenticators.ts';

const identityType = z.enum(['User', 'Device', 'Service', 'Router', 'Default']);
/** The limit keeps the text short enough for a unique index of PostgreSQL. */
const uniqueText = z.string().max(500);
/** Has the same limits as a sign-in. Nobody could sign in with another user name. */
const username = z
  .string()
  .max(100)
  .refine((text) => text === '' || text.length >= 4, {
    error: 'should be at least 4 chars long',
  });
const precedence = z.enum(['default', 'required', 'failed']);
const hostingCost = z.number().int().min(0).max(65535);

/** Optional members of create, update and patch. */
const optionalFields = {
  externalId: uniqueText.nullish(),
  authPolicyId: z.string().nullish(),
  roleAttributes: z.array(z.string().min(1)).nullish(),
  defaultHostingCost: hostingCost.nullish(),
  defaultHostingPrecedence: precedence.nullish(),
  serviceHostingCosts: z.record(z.string(), hostingCost).nullish(),
  serviceHostingPrecedences: z.record(z.string(), precedence).nullish(),
  appData: z.record(z.string(), z.any()).nullish(),
  tags: tags.nullish(),
};

export const identityCreate = define(
  'identityCreate',
  z.object({
    name: uniqueText,
    type: identityType,
    isAdmin: z.boolean(),
    enrollment: z
      .object({ ott: z.boolean().nullish(), ottca: z.string().nullish(), updb: username.nullish() })
      .nullish(),
    ...optionalFields,
  }),
);

export const identityUpdate = define(
  'identityUpdate',
  z.object({ name: uniqueText, type: identityType, isAdmin: z.boolean(), ...optionalFields }),
);

export const identityPatch = define(
  'identityPatch',
  z.object({
    name: uniqueText.nullish(),
    type: identityType.nullish(),
    isAdmin: z.boolean().nullish(),
    ...optionalFields,
  }),
);

const pendingEnrollment = { id: z.string(), token: z.string(), jwt: z.string(), expiresAt: dateTime };

/** One network interface of the device of an identity. */
const networkInterface = define(
  'interface',
  z.object({
    name: z.string(),
    hardwareAddress: z.string(),
    mtu: z.number().int(),
    index: z.number().int(),
    isUp: z.boolean(),
    isRunning: z.boolean(),
    isLoopback: z.boolean(),
    isBroadcast: z.boolean(),
    isMulticast: z.boolean(),
    addresses: z.array(z.string()).nullish(),
  }),
);

export const identityDetail = define(
  'identityDetail',
  z.object({
    ...baseEntity,
    name: z.string(),
    type: entityRef,
    typeId: z.string(),
    isAdmin: z.boolean(),
    isDefaultAdmin: z.boolean(),
    isMfaEnabled: z.boolean(),
    disabled: z.boolean(),
    disabledAt: dateTime.optional(),
    disabledUntil: dateTime.optional(),
    externalId: z.string().nullable(),
    authPolicyId: z.string(),
    authPolicy: entityRef,
    roleAttributes: z.array(z.string()),
    permissions: z.array(z.string()).nullable(),
    defaultHostingCost: z.number(),
    defaultHostingPrecedence: precedence,
    serviceHostingCosts: z.record(z.string(), z.number()),
    serviceHostingPrecedences: z.record(z.string(), precedence),
    appData: z.record(z.string(), z.any()),
    authenticators: z.object({
      cert: z.object({ id: z.string(), fingerprint: z.string() }).optional(),
      updb: z.object({ id: z.string(), username: z.string() }).optional(),
    }),
    enrollment: z.object({
      ott: z.object(pendingEnrollment).optional(),
      ottca: z.object({ ...pendingEnrollment, caId: z.string(), ca: entityRef }).optional(),
      updb: z.object(pendingEnrollment).optional(),
    }),
    envInfo,
    sdkInfo,
    hasApiSession: z.boolean(),
    hasEdgeRouterConnection: z.boolean(),
    edgeRouterConnectionStatus: z.enum(['online', 'offline', 'unknown']),
    interfaces: z.array(networkInterface).nullable(),
  }),
);

export const disableParams = define('disableParams', z.object({ durationMinutes: z.number().int() }));

export type IdentityCreate = z.output<typeof identityCreate>;
export type IdentityUpdate = z.output<typeof identityUpdate>;
export type IdentityPatch = z.output<typeof identityPatch>;
export type IdentityDetail = z.output<typeof identityDetail>;

export const identities = defineResource({
  ...entityOperations({
    path: '/identities',
    noun: 'identity',
    plural: 'identities',
    permission: 'identity',
    detail: identityDetail,
    create: identityCreate,
    update: identityUpdate,
    patch: identityPatch,
  }),
  disable: {
    method: 'POST',
    path: '/identities/{id}/disable',
    access: 'admin',
    permission: 'identity.update',
    result: 'empty',
    params: idParams,
    body: disableParams,
    summary: 'Disables one identity for some minutes (0 or less: for ever) and ends its API sessions',
  },
  enable: {
    method: 'POST',
    path: '/identities/{id}/enable',
    access: 'admin',
    permission: 'identity.update',
    result: 'empty',
    params: idParams,
    summary: 'Enables one identity',
  },
  authenticators: {
    method: 'GET',
    path: '/identities/{id}/authenticators',
    access: 'admin',
    permission: 'authenticator.read',
    result: 'list',
    params: idParams,
    query: listQuery,
    response: authenticatorDetail,
    summary: 'Lists the authenticators of one identity',
  },
  removeMfa: {
    method: 'DELETE',
    path: '/identities/{id}/mfa',
    access: 'admin',
    permission: 'identity.update',
    result: 'empty',
    params: idParams,
    summary: 'Removes the TOTP of one identity, also when there is none',
  },
});
