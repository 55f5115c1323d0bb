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
const sessionsEndAt = z.enum(['EXP', 'AUTH_AGE']);
const sentSessionsEndAt = z.enum(['', 'EXP', 'AUTH_AGE']);
/** The dates of a signer without a certificate. */
const firstMoment = '0001-01-01T00:00:00.000Z';
const enrollment = { ...optional(z.boolean(), false), detail: 'optional' } as const;

const jwtCheckName = z.enum([
  ...['form', 'header', 'issuer', 'enabled', 'key', 'algorithm', 'signature', 'claims', 'expiry'],
  ...['notBefore', 'issuedAt', 'lifetime', 'audience', 'tokenKind', 'acr', 'amr', 'authTime'],
  ...['identityClaim', 'identity', 'policy'],
] as const);

/** One check of a JWT. `expected` and `received` have values of claims and header members, never the token. */
const jwtCheck = define(
  'externalJwtCheck',
  z.object({
    check: jwtCheckName,
    passed: z.boolean(),
    expected: z.string().optional(),
    received: z.string().optional(),
  }),
);

export type ExternalJwtCheck = z.output<typeof jwtCheck>;

/** What a sign-in with this JWT would find. Without `identity`, the sign-in would be refused. */
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

/** An issuer whose JWTs sign identities in: an identity provider, or whoever has the private key of `certPem`. */
export const externalJwtSigners = entity({
  noun: 'externalJwtSigner',
  collection: 'external-jwt-signers',
  fields: {
    name: uniqueName,
    /** While it is false, every JWT of the signer is refused. */
    enabled: required(z.boolean(), 'enabled'),
    /** The exact claim `iss` of its JWTs. */
    issuer: { ...required(text, 'issuer'), unique: true },
    /** The claim `aud` of a JWT must contain it. An empty text is stored as null. */
    audience: { ...nullable(text, 'audience'), create: 'required', update: 'required' },
    /** A certificate with its public key, in PEM. A signer has either this or `jwksEndpoint`. */
    certPem: nullable(z.string().max(65_536), 'certPem'),
    /** The URL of its keys: a JWK set (RFC 7517). */
    jwksEndpoint: nullable(url.regex(/^[A-Za-z][A-Za-z0-9+.-]*:./, { error: 'must be a URI' })),
    /** The header `kid` of JWTs that the key in `certPem` signs. Default: the fingerprint of the certificate. */
    kid: { ...nullable(z.string().max(256), 'kid'), unique: true },
    /**
     * Which claim has the id of the identity: a JSON pointer, which begins with `/`, or the name of a root member, such
     * as `https://claims.example/id`. Default: `/sub`.
     */
    claimsProperty: optional(claimSelector, '/sub', 'claimsProperty'),
    /** Whether this claim has the external id of the identity. Default: false, it has the id. */
    useExternalId: optional(z.boolean(), false, 'useExternalId'),
    /** Where users log in. */
    externalAuthUrl: nullable(url, 'externalAuthUrl'),
    /** For the log-in by OpenID Connect. */
    clientId: nullable(text, 'clientId'),
    /** Scopes that a client asks the provider for. */
    scopes: nullable(z.array(text).max(100), 'scopes'),
    /**
     * Which token of the provider clients send: the access token or the id token. A JWT that is clearly the other one is refused.
     * Default: `ACCESS`.
     */
    targetToken: {
      ...optional(targetToken, 'ACCESS', 'targetToken'),
      sent: { create: sentTargetToken, update: sentTargetToken, patch: sentTargetToken },
    },
    /** The claim `acr` of a JWT must be one of these: how sure the provider is of the person. An empty list stands for none. */
    requiredAcr: { ...nullable(z.array(text).max(20)), detail: 'optional' },
    /** The claim `amr` of a JWT must have all of these, such as `otp` or `hwk`: how the person has signed in. */
    requiredAmr: { ...nullable(z.array(text).max(20)), detail: 'optional' },
    /** Minutes that the sign-in at the provider may be old, by the claim `auth_time` of a JWT. 0 stands for no limit. */
    maxAuthAgeMinutes: { ...nullable(z.number().int().min(0).max(525_600)), detail: 'optional' },
    /**
     * What ends an API session that a JWT has opened, however much it is used: `EXP`, the claim `exp` of this JWT; `AUTH_AGE`, that
     * its sign-in at the provider is older than `maxAuthAgeMinutes`. An empty text stands for neither, the default.
     */
    sessionsEndAt: {
      ...nullable(sessionsEndAt),
      sent: { create: sentSessionsEndAt, update: sentSessionsEndAt, patch: sentSessionsEndAt },
      detail: 'optional',
    },
    /** Whether the holder of a JWT may enroll with a certificate. */
    enrollToCertEnabled: { ...enrollment, filter: ['enrollToCertEnabled'] },
    /** Whether the holder of a JWT may enroll without a certificate. */
    enrollToTokenEnabled: { ...enrollment, filter: ['enrollToTokenEnabled'] },
    /** The auth policy of identities that enroll with a JWT of the signer. Default: `default`. */
    enrollAuthPolicyId: optional(text, 'default', 'enrollAuthPolicyId'),
    /** Which claim has the name of an identity that enrolls, as in `claimsProperty`. Default: `/sub`. */
    enrollNameClaimsSelector: optional(claimSelector, '/sub', 'enrollNameClaimsSelector'),
    /** Which claim has the role attributes of an identity that enrolls, as in `claimsProperty`. */
    enrollAttributeClaimsSelector: {
      ...nullable(claimSelector, 'enrollAttributeClaimsSelector'),
      detail: 'optional',
    },
    /** Subject and dates of the certificate. Without a certificate: an empty text, and the start of the year 1. */
    commonName: serverSet(z.string(), 'always', '', 'commonName'),
    fingerprint: { ...serverSet(z.string(), 'nullable', null, 'fingerprint'), unique: true },
    notBefore: serverSet(dateTime, 'always', firstMoment, 'notBefore'),
    notAfter: serverSet(dateTime, 'always', firstMoment, 'notAfter'),
    authVersion,
  },
  actions: externalJwtSignerActions,
});

/** The public part of a signer: how a client gets a JWT. A member without a value is absent or null. */
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
