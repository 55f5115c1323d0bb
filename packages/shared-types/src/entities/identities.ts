import { z } from 'zod';
import { define } from '../definitions.ts';
import { entity } from '../entity.ts';
import { anyObject, dateTime, entityRef, idParams, roleListQuery } from '../envelope.ts';
import {
  attributes,
  derived,
  input,
  nullable,
  optional,
  reference,
  required,
  serverSet,
  uniqueName,
  uniqueText,
} from '../field.ts';
import { envInfo, sdkInfo } from '../info.ts';
import { oneOf } from '../one-of.ts';
import { defineResource } from '../operation.ts';
import { permissionNames } from '../permission.ts';
import { entityOf, hasMany, link, selectedBy, selectedWith } from '../relation.ts';
import { networkInterface } from './network-interface.ts';
import { policyAdvice } from './policy-advice.ts';
import { identityPosture } from './posture-data.ts';
import { serviceConfigs } from './service-configs.ts';
import { ownServiceQuery } from './service-query.ts';

/** Has the same limits as the user name in a sign-in: with any other, nobody could sign in. */
const username = z
  .string()
  .max(100)
  .refine((text) => text === '' || text.length >= 4, { error: 'should be at least 4 chars long' });
const identityType = z.enum(['User', 'Device', 'Service', 'Router', 'Default']);
const precedence = z.enum(['default', 'required', 'failed']);
const hostingCost = z.number().int().min(0).max(65535);
/** `token` and `jwt` are empty for a caller who could not have made them. */
const pending = { id: z.string(), token: z.string(), jwt: z.string(), expiresAt: dateTime };

const identityQuery = roleListQuery.extend({
  /** `true`: only identities that have rights and sign in without a second factor. `false`: only all others. */
  lacksSecondFactor: z.enum(['true', 'false']).optional(),
});

/** The body that disables an identity. */
const disableParams = define(
  'disableParams',
  z.object({
    /** 0 or less: for ever. */
    durationMinutes: z.number().int(),
  }),
);

const identityActions = defineResource({
  disable: {
    method: 'POST',
    path: '/identities/{id}/disable',
    access: 'admin',
    permission: 'identity.update',
    result: 'empty',
    params: idParams,
    body: disableParams,
    errors: ['LAST_ADMINISTRATOR'],
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

/** What an identity may do on the Management API without being an administrator. */
const permissions = define('permissions', z.array(oneOf(...permissionNames)).max(permissionNames.length));

/** A person, a device or a service that can sign in. */
export const identities = entity({
  noun: 'identity',
  collection: 'identities',
  // PUT replaces everything, rights too.
  adminWrites: ['update'],
  fields: {
    /** Unique, at most 500 characters. */
    name: uniqueName,
    typeId: serverSet(identityType, 'always', 'Default', 'type'),
    /** `User`, `Device` and `Service` are stored as `Default`. */
    type: {
      ...required(identityType),
      kind: 'input',
      shown: entityRef,
    },
    /** Policies select the identity by them. */
    roleAttributes: attributes('always'),
    /** Unique id of another system, for JWTs and third-party certificates. */
    externalId: { ...nullable(uniqueText, 'externalId'), unique: true },
    /**
     * The external JWT signer that alone may name the identity by its external id; certificates of CAs may not then. Default: any
     * may. An empty text removes it.
     */
    externalIdSignerId: {
      ...reference('externalJwtSigners', 'externalIdSignerId'),
      ...({ create: 'optional', update: 'optional', detail: 'optional' } as const),
    },
    /** Which credentials the identity may use. Default: `default`. */
    authPolicyId: {
      ...reference('authPolicies', 'authPolicyId'),
      create: 'optional',
      update: 'optional',
      default: 'default',
    },
    /** Administrators have every permission. */
    isAdmin: required(z.boolean(), 'isAdmin'),
    /** `admin_readonly`, an entity (`service`), or an entity and an action (`service.read`). Only administrators may set them. */
    permissions: nullable(permissions),
    /** Whether it is the administrator that the first start created. */
    isDefaultAdmin: serverSet(z.boolean(), 'always', false, 'isDefaultAdmin'),
    /** 0 to 65535. Default: 0. */
    defaultHostingCost: optional(hostingCost, 0),
    defaultHostingPrecedence: optional(precedence, 'default'),
    /** By the id of a service. */
    serviceHostingCosts: optional(z.record(z.string(), hostingCost), {}),
    /** By the id of a service. */
    serviceHostingPrecedences: optional(z.record(z.string(), precedence), {}),
    /** Data of the application, at most 64 KiB as JSON. The controller does not read it. */
    appData: optional(anyObject, {}),
    /**
     * How it gets its first credential. `ott`: a certificate of the network. `ottca`: a certificate of the CA with this id. `updb`: a password
     * for this user name.
     */
    enrollment: {
      ...input(z.object({ ott: z.boolean().nullish(), ottca: z.string().nullish(), updb: username.nullish() })),
      detail: 'always',
      shown: z.object({
        ott: z.object(pending).optional(),
        ottca: z.object({ ...pending, caId: z.string(), ca: entityRef }).optional(),
        updb: z.object(pending).optional(),
      }),
    },
    /** Its credentials by kind. */
    authenticators: derived(
      z.object({
        cert: z.object({ id: z.string(), fingerprint: z.string() }).optional(),
        updb: z.object({ id: z.string(), username: z.string() }).optional(),
      }),
    ),
    /** A disabled identity cannot sign in. */
    disabled: derived(z.boolean()),
    disabledAt: serverSet(dateTime, 'optional', null),
    /** RFC 3339. Absent while the identity is disabled for ever. */
    disabledUntil: serverSet(dateTime, 'optional', null),
    /** What its client sent at the last sign-in. */
    envInfo: serverSet(envInfo, 'always', {}),
    /** What its client sent at the last sign-in. */
    sdkInfo: serverSet(sdkInfo, 'always', {}),
    /** Whether it has a verified TOTP. */
    isMfaEnabled: derived(z.boolean()),
    /** True when it has rights, and neither a verified TOTP nor an auth policy or a setting that asks for a second factor. */
    lacksSecondFactor: { ...derived(z.boolean()), detail: 'optional' },
    hasApiSession: derived(z.boolean()),
    hasEdgeRouterConnection: derived(z.boolean()),
    edgeRouterConnectionStatus: derived(z.enum(['online', 'offline', 'unknown'])),
    interfaces: derived(z.array(networkInterface).nullable()),
  },
  relations: {
    'auth-policies': entityOf('authPolicyId'),
    authenticators: hasMany('authenticators', 'identityId'),
    'edge-router-policies': selectedBy('edgeRouterPolicies', 'identityRoles'),
    'edge-routers': selectedWith('edgeRouterPolicies', 'identityRoles', 'edgeRouterRoles'),
    enrollments: hasMany('enrollments', 'identityId'),
    'failed-service-requests': link(),
    'posture-data': link(),
    'service-configs': link(),
    'service-policies': selectedBy('servicePolicies', 'identityRoles'),
    services: {
      ...selectedWith('servicePolicies', 'identityRoles', 'serviceRoles'),
      byType: true,
      client: { path: '/services', get: true, query: ownServiceQuery },
    },
  },
  query: identityQuery,
  errors: {
    create: ['NOT_FOUND'],
    update: ['LAST_ADMINISTRATOR'],
    patch: ['LAST_ADMINISTRATOR'],
    delete: ['LAST_ADMINISTRATOR', 'ENTITY_CAN_NOT_BE_DELETED'],
  },
  actions: { ...identityActions, ...identityPosture, ...policyAdvice, ...serviceConfigs },
});
