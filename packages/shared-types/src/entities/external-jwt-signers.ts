import { z } from 'zod';
import { define } from '../definitions.ts';
import { entity } from '../entity.ts';
import { baseEntity, dateTime, entityRef, idParams, listQuery } from '../envelope.ts';
import { authVersion, nullable, optional, required, serverSet, uniqueName } from '../field.ts';
import { defineResource } from '../operation.ts';

const text = z.string().max(500);
const url = z.string().max(2_000);
/** A JSON pointer (RFC 6901), which begins with `/`, or the name of a root member. */
const claimSelector = z.string().max(500);
const targetToken = z.enum(['ACCESS', 'ID']);
/** An empty text stands for the default. */
const sentTargetToken = z.enum(['', 'ACCESS', 'ID']);
/** The dates of a signer without a certificate. */
const firstMoment = '0001-01-01T00:00:00.000Z';
const enrollment = { ...optional(z.boolean(), false), detail: 'optional' } as const;

/** One check of a JWT. `expected` and `received` have values of claims and header members, never the token. */
const jwtCheck = define(
  'externalJwtCheck',
  z.object({
    check: z.string(),
    passed: z.boolean(),
    expected: z.string().optional(),
    received: z.string().optional(),
  }),
);

/** What a sign-in with a JWT would find. Without `identity` it would be refused. */
export const externalJwtSignerTestResult = define(
  'externalJwtSignerTestResult',
  z.object({ isAccepted: z.boolean(), checks: z.array(jwtCheck), identity: entityRef.optional() }),
);

/** The body with a JWT to test. */
const externalJwtSignerTest = define('externalJwtSignerTest', z.object({ token: z.string().min(1).max(16_384) }));

const externalJwtSignerActions = defineResource({
  test: {
    method: 'POST',
    path: '/external-jwt-signers/{id}/test',
    access: 'admin',
    permission: 'external-jwt-signer.read',
    result: 'detail',
    params: idParams,
    body: externalJwtSignerTest,
    response: externalJwtSignerTestResult,
    summary: 'Lists the checks of a JWT of one signer with their verdicts; signs nobody in',
  },
});

/** Who signs JWTs with which identities sign in: an identity provider, or any holder of a key. */
export const externalJwtSigners = entity({
  noun: 'externalJwtSigner',
  collection: 'external-jwt-signers',
  fields: {
    name: uniqueName,
    /** While it is false, no JWT of the signer counts. */
    enabled: required(z.boolean(), 'enabled'),
    /** The claim `iss` of its JWTs, exactly. */
    issuer: { ...required(text, 'issuer'), unique: true },
    /** A JWT has it among its claim `aud`. An empty one is stored as none. */
    audience: { ...nullable(text, 'audience'), create: 'required', update: 'required' },
    /** The certificate with its key. A signer has this or `jwksEndpoint`. */
    certPem: nullable(z.string().max(65_536), 'certPem'),
    /** The address of its keys as a JWK set (RFC 7517). */
    jwksEndpoint: nullable(url.regex(/^[A-Za-z][A-Za-z0-9+.-]*:./, { error: 'must be a URI' })),
    /** The header `kid` of JWTs that the key in `certPem` signs. Default: the fingerprint of the certificate. */
    kid: { ...nullable(z.string().max(256), 'kid'), unique: true },
    /**
     * Where a JWT has the id of the identity: a JSON pointer, which begins with `/`, or the name of a root member, such as
     * `https://claims.example/id`. Default: `/sub`.
     */
    claimsProperty: optional(claimSelector, '/sub', 'claimsProperty'),
    /** Whether that is the external id of the identity. Default: false. */
    useExternalId: optional(z.boolean(), false, 'useExternalId'),
    /** Where users log in. */
    externalAuthUrl: nullable(url, 'externalAuthUrl'),
    /** For the log-in by OpenID Connect. */
    clientId: nullable(text, 'clientId'),
    /** Scopes that a client asks the provider for. */
    scopes: nullable(z.array(text).max(100), 'scopes'),
    /** Which of the tokens of the provider clients send. Default: `ACCESS`. */
    targetToken: {
      ...optional(targetToken, 'ACCESS', 'targetToken'),
      sent: { create: sentTargetToken, update: sentTargetToken, patch: sentTargetToken },
    },
    /** Whether the holder of a JWT may enroll with a certificate. */
    enrollToCertEnabled: { ...enrollment, filter: ['enrollToCertEnabled'] },
    /** Whether the holder of a JWT may enroll without a certificate. */
    enrollToTokenEnabled: { ...enrollment, filter: ['enrollToTokenEnabled'] },
    /** The auth policy of identities that enroll so. Default: `default`. */
    enrollAuthPolicyId: optional(text, 'default', 'enrollAuthPolicyId'),
    /** Where a JWT has the name of such an identity, as in `claimsProperty`. Default: `/sub`. */
    enrollNameClaimsSelector: optional(claimSelector, '/sub', 'enrollNameClaimsSelector'),
    /** Where a JWT has its role attributes, as in `claimsProperty`. */
    enrollAttributeClaimsSelector: {
      ...nullable(claimSelector, 'enrollAttributeClaimsSelector'),
      detail: 'optional',
    },
    /** Subject and dates of the certificate. Without one they are empty, and the first moment of year 1. */
    commonName: serverSet(z.string(), 'always', '', 'commonName'),
    fingerprint: { ...serverSet(z.string(), 'nullable', null, 'fingerprint'), unique: true },
    notBefore: serverSet(dateTime, 'always', firstMoment, 'notBefore'),
    notAfter: serverSet(dateTime, 'always', firstMoment, 'notAfter'),
    authVersion,
  },
  actions: externalJwtSignerActions,
});

/** What everybody may know of a signer: how a client gets a JWT. What is not set is absent, or null. */
const clientExternalJwtSigner = define(
  'clientExternalJwtSignerDetail',
  z.object({
    ...baseEntity,
    name: z.string(),
    externalAuthUrl: z.string().nullable(),
    clientId: z.string().optional(),
    audience: z.string().optional(),
    scopes: z.array(z.string()).nullable(),
    targetToken,
    enrollToCertEnabled: z.boolean().optional(),
    enrollToTokenEnabled: z.boolean().optional(),
  }),
);

export type ClientExternalJwtSignerDetail = z.output<typeof clientExternalJwtSigner>;

/** The signers on the Client API. */
export const clientExternalJwtSigners = defineResource({
  list: {
    method: 'GET',
    path: '/external-jwt-signers',
    access: 'anyone',
    result: 'list',
    query: listQuery,
    response: clientExternalJwtSigner,
    summary: 'Lists the external jwt signers that are enabled',
  },
});
