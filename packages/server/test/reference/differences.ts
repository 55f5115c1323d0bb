import type { Difference } from './difference.ts';

type Place = Pick<Difference, 'kind' | 'at'>;

/** Differences with one reason. */
interface Reason {
  /** The first cell of the row in `docs/compatibility.md` that explains them. */
  readonly row: string;
  /** A kind of difference, and where it is. `operation /sessions` stands for all operations at this path and below it. */
  readonly differences: readonly string[];
}

/** What the controller lacks so far. A line leaves when its part is there. */
const notHereYet: readonly Reason[] = [
  {
    row: 'Routers, their policies, and terminators',
    differences: [
      'operation /current-identity/edge-routers',
      'operation /edge-router-policies',
      'operation /edge-router-role-attributes',
      'operation /edge-routers',
      'operation /enroll/erott',
      'operation /enroll/extend/router',
      'operation /identities/{id}/edge-router-policies',
      'operation /identities/{id}/edge-routers',
      'operation /routers',
      'operation /service-edge-router-policies',
      'operation /services/{id}/edge-routers',
      'operation /services/{id}/service-edge-router-policies',
      'operation /services/{id}/terminators',
      'operation /terminators',
      'operation /transit-routers',
    ],
  },
  {
    row: '`edgeRouter`, `edgeRouterId`, `transitRouter`, `transitRouterId`',
    differences: [
      'missing enrollmentDetail.edgeRouter',
      'missing enrollmentDetail.edgeRouterId',
      'missing enrollmentDetail.transitRouter',
      'missing enrollmentDetail.transitRouterId',
    ],
  },
  {
    row: '`certCsr`, `serverCertCsr` in the body, `ca`, `serverCert` in the response',
    differences: [
      'missing enrollmentCerts.serverCert',
      'missing genericEnroll.certCsr',
      'missing genericEnroll.serverCertCsr',
    ],
  },
  { row: 'Sessions for services', differences: ['operation /sessions'] },
  {
    row: 'Posture responses',
    differences: [
      'missing postureQuery.promptGracePeriodSeconds',
      'missing postureQuery.timeoutAt',
      'operation /identities/{id}/failed-service-requests',
      'operation /identities/{id}/posture-data',
      'operation /posture-response',
      'operation /posture-response-bulk',
    ],
  },
  { row: 'Advice about policies', differences: ['operation /identities/{id}/policy-advice/{serviceId}'] },
  { row: 'Time of the last change of services', differences: ['operation /current-api-session/service-updates'] },
  {
    row: 'Descriptions of the controller and its network',
    differences: [
      'operation /controllers',
      'operation /enumerated-capabilities',
      'operation /network-jwts',
      'operation /protocols',
      'operation /summary',
    ],
  },
  { row: 'Care of the database', differences: ['operation /database'] },
  { row: 'Traces of an identity', differences: ['operation /identities/{id}/trace'] },
  {
    row: '`permissions` in the body',
    differences: [
      'enum permissions[]',
      'missing identityCreate.permissions',
      'missing identityPatch.permissions',
      'missing identityUpdate.permissions',
    ],
  },
  { row: '`configTypes`, `asIdentity` in the query', differences: ['missing GET /services?configTypes'] },
  { row: 'OIDC', differences: ['operation /current-api-session/totp-token', 'operation /revocations'] },
];

/** The controller differs on purpose. */
const onPurpose: readonly Reason[] = [
  {
    row: 'Operations that the original describes and does not have',
    differences: [
      'operation /controller-settings',
      'operation /enroll/challenge',
      'operation /enroll/jwks',
      'operation DELETE /services/{id}',
      'operation PATCH /services/{id}',
      'operation PUT /services/{id}',
    ],
  },
  { row: '`isTotpEnrolled`', differences: ['missing authQueryDetail.isTotpEnrolled'] },
  {
    row: 'Type `Invalid` of a service policy',
    differences: ['enum servicePolicyCreate.type', 'enum servicePolicyPatch.type', 'enum servicePolicyUpdate.type'],
  },
  {
    row: 'Password changed by its owner',
    differences: [
      'extra authenticatorPatchWithCurrent.endOtherSessions',
      'extra authenticatorUpdateWithCurrent.endOtherSessions',
    ],
  },
  {
    row: 'Token of a session that a certificate has opened',
    differences: ['extra authPolicyPrimaryCert.bindSessions', 'extra authPolicyPrimaryCertPatch.bindSessions'],
  },
  { row: 'Tags of an enrollment in the body', differences: ['extra enrollmentCreate.tags'] },
  {
    row: 'Response of `POST /enrollments/{id}/refresh`',
    differences: ['missing createLocation._links', 'missing createLocation.id'],
  },
  { row: '`verificationToken`', differences: ['format caDetail.verificationToken'] },
  { row: '`typeId` in the body of PUT', differences: ['required postureCheckUpdate.typeId'] },
  {
    row: '`hashes`, `signerFingerprints` that were not sent',
    differences: [
      'null process.hashes',
      'null process.signerFingerprint',
      'null processMulti.hashes',
      'null processMulti.signerFingerprints',
    ],
  },
  { row: '`encryptionRequired` in the body of PATCH', differences: ['missing servicePatch.encryptionRequired'] },
];

/** Both controllers do the same, and the document of the original says something else. */
const documentIsWrong: readonly Reason[] = [
  {
    row: 'Null in responses',
    differences: [
      'null authQueryDetail.scopes',
      'null caDetail.identityRoles',
      'null clientExternalJwtSignerDetail.externalAuthUrl',
      'null clientExternalJwtSignerDetail.scopes',
      'null configTypeDetail.schema',
      'null currentIdentityDetailEnvelope.meta',
      'null detailCurrentApiSessionCertificateEnvelope.meta',
      'null detailMfa.recoveryCodes',
      'null externalJwtSignerDetail.audience',
      'null externalJwtSignerDetail.clientId',
      'null externalJwtSignerDetail.externalAuthUrl',
      'null externalJwtSignerDetail.fingerprint',
      'null externalJwtSignerDetail.kid',
      'null externalJwtSignerDetail.scopes',
      'null identityDetail.interfaces',
      'null interface.addresses',
      'null operatingSystem.versions',
      'null postureCheckTypeDetail.version',
      'null postureQuery.processes',
      'null serviceDetail.configs',
      'null servicePolicyDetail.identityRoles',
      'null servicePolicyDetail.postureCheckRoles',
      'null servicePolicyDetail.serviceRoles',
    ],
  },
  {
    row: '`GET /current-identity/mfa/recovery-codes`',
    differences: ['missing GET /current-identity/mfa/recovery-codes body'],
  },
  {
    row: 'Null in requests',
    differences: [
      'null externalIdClaim.location',
      'null externalIdClaim.matcher',
      'null externalIdClaim.parser',
      'null externalJwtSignerCreate.audience',
      'null externalJwtSignerUpdate.audience',
    ],
  },
  {
    row: 'Members that are never sent',
    differences: [
      'missing apiSessionDetail.cachedUpdatedAt',
      'missing enrollmentDetail.details',
      'missing apiVersion.version',
      'missing clientExternalJwtSignerDetail.openIdConfigurationUrl',
      'missing link.comment',
      'missing link.method',
    ],
  },
  { row: '`username` in the response of `POST /enroll`', differences: ['extra enrollmentCerts.username'] },
  {
    row: 'Body of `POST /enroll/ca` and `POST /enroll/updb`',
    differences: ['extra POST /enroll/ca body', 'extra POST /enroll/updb.clientCsr', 'extra POST /enroll/updb.name'],
  },
  {
    row: 'Values of tags and of data of configs',
    differences: ['null serviceDetail.config{}{}', 'null subTags{}', 'type serviceDetail.config{}{}', 'type subTags{}'],
  },
  { row: '`method` in the body of `POST /authenticators`', differences: ['enum authenticatorCreate.method'] },
  {
    row: '`limit` and `offset` of lists of role attributes',
    differences: [
      'missing GET /identity-role-attributes?limit',
      'missing GET /identity-role-attributes?offset',
      'missing GET /posture-check-role-attributes?limit',
      'missing GET /posture-check-role-attributes?offset',
      'missing GET /service-role-attributes?limit',
      'missing GET /service-role-attributes?offset',
    ],
  },
  {
    row: '`roleFilter`, `roleSemantic` of `GET /services` of the Client API',
    differences: ['missing GET /services?roleFilter', 'missing GET /services?roleSemantic'],
  },
  { row: '`GET /specs/{id}/spec` in the document', differences: ['type GET /specs/{id}/spec'] },
];

export const reasons: readonly Reason[] = [...notHereYet, ...onPurpose, ...documentIsWrong];

const listed = new Set(reasons.flatMap(({ differences }) => differences));

/** True when the table has the difference. */
export function isListed(difference: Place): boolean {
  return lineOf(difference) !== undefined;
}

/** Returns the line of the table that has a difference, if there is one. */
export function lineOf(difference: Place): string | undefined {
  return linesFor(difference).find((line) => listed.has(line));
}

function linesFor({ kind, at }: Place): string[] {
  const own = `${kind} ${at}`;
  if (kind !== 'operation') return [own];
  const [, path = ''] = at.split(' ');
  const above = path.split('/').map((_, index, segments) => segments.slice(0, index + 1).join('/'));
  return [own, ...above.map((start) => `operation ${start}`)];
}
