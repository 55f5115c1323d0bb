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
const notHereYet: readonly Reason[] = [{ row: 'OIDC', differences: ['operation /current-api-session/totp-token'] }];

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
  {
    row: '`POST /database/snapshot`',
    differences: ['operation /database/snapshot'],
  },
  {
    row: '`POST /database/check-data-integrity`, `/database/fix-data-integrity`, `GET /database/data-integrity-results`',
    differences: [
      'operation /database/check-data-integrity',
      'operation /database/data-integrity-results',
      'operation /database/fix-data-integrity',
    ],
  },
  { row: '`PUT /identities/{id}/trace`', differences: ['operation /identities/{id}/trace'] },
  { row: '`audit-log` and `audit-log.read` in `permissions`', differences: ['enum permissions[]'] },
  { row: '`/revocations`', differences: ['operation /revocations'] },
  {
    row: 'Type `Invalid` of a service policy',
    differences: ['enum servicePolicyCreate.type', 'enum servicePolicyPatch.type', 'enum servicePolicyUpdate.type'],
  },
  { row: 'Type `Invalid` of a session', differences: ['enum sessionCreate.type'] },
  { row: '`servicePolicies` of a session on the Client API', differences: ['extra sessionDetail.servicePolicies'] },
  {
    row: '`typeId` of a posture response',
    differences: ['enum postureResponseCreate.typeId'],
  },
  { row: 'Status of `POST /posture-response-bulk`', differences: ['status POST /posture-response-bulk'] },
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
  {
    row: 'Password that somebody else has set',
    differences: ['enum authQueryDetail.typeId'],
  },
  {
    row: '`lacksSecondFactor` of an identity, and in the query of `GET /identities`',
    differences: ['extra identityDetail.lacksSecondFactor'],
  },
  {
    row: 'Longest life of an API session',
    differences: [
      'extra authPolicyPrimary.maxSessionMinutes',
      'extra authPolicyPrimaryPatch.maxSessionMinutes',
      'extra currentApiSessionDetail.endsAt',
    ],
  },
  {
    row: '`externalIdSignerId` of an identity',
    differences: [
      ...['externalIdSignerId', 'externalIdSigner'].map((name) => `extra identityDetail.${name}`),
      ...['Create', 'Update', 'Patch'].map((body) => `extra identity${body}.externalIdSignerId`),
    ],
  },
  {
    row: '`requiredAcr`, `requiredAmr`, `maxAuthAgeMinutes`, `sessionsEndAt` of a signer',
    differences: ['Detail', 'Create', 'Update', 'Patch'].flatMap((schema) =>
      ['requiredAcr', 'requiredAmr', 'maxAuthAgeMinutes', 'sessionsEndAt'].map(
        (name) => `extra externalJwtSigner${schema}.${name}`,
      ),
    ),
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
  { row: '`service` of a terminator in the body of PATCH', differences: ['missing terminatorPatch.service'] },
  {
    row: '`limit`, `offset` and `filter` of `GET /services/{id}/edge-routers` on the Client API',
    differences: [
      'missing GET /services/{id}/edge-routers?filter',
      'missing GET /services/{id}/edge-routers?limit',
      'missing GET /services/{id}/edge-routers?offset',
    ],
  },
];

/** Both controllers do the same, and the document of the original says something else. */
const documentIsWrong: readonly Reason[] = [
  {
    row: 'Null in responses',
    differences: [
      'null apiSessionPostureData.endpointState',
      'null apiSessionPostureData.sdkInfo',
      'null authQueryDetail.scopes',
      'null caDetail.identityRoles',
      'null clientExternalJwtSignerDetail.externalAuthUrl',
      'null clientExternalJwtSignerDetail.scopes',
      'null configTypeDetail.schema',
      'null currentIdentityDetailEnvelope.meta',
      'null detailCurrentApiSessionCertificateEnvelope.meta',
      'null detailMfa.recoveryCodes',
      'null edgeRouterDetail.configs',
      'null edgeRouterDetail.ctrlChanListeners',
      'null edgeRouterDetail.interfaces',
      'null edgeRouterPolicyDetail.edgeRouterRoles',
      'null edgeRouterPolicyDetail.identityRoles',
      'null externalJwtSignerDetail.audience',
      'null externalJwtSignerDetail.clientId',
      'null externalJwtSignerDetail.externalAuthUrl',
      'null externalJwtSignerDetail.fingerprint',
      'null externalJwtSignerDetail.kid',
      'null externalJwtSignerDetail.scopes',
      'null getIdentityPolicyAdviceEnvelope.meta',
      'null identityDetail.interfaces',
      'null interface.addresses',
      'null listSummaryCountsEnvelope.meta',
      'null operatingSystem.versions',
      'null policyAdvice.commonRouters',
      'null postureCheckTypeDetail.version',
      'null postureDataBase.lastUpdatedAt',
      'null postureDataDomain.domain',
      'null postureDataEndpointState.unlockedAt',
      'null postureDataEndpointState.wokenAt',
      'null postureDataMac.addresses',
      'null postureDataMfa.passedAt',
      'null postureDataOs.build',
      'null postureDataOs.type',
      'null postureDataOs.version',
      'null postureDataProcess.signerFingerprints',
      'null postureQuery.processes',
      'null routerDetail.configs',
      'null routerDetail.ctrlChanListeners',
      'null routerDetail.fingerprint',
      'null routerDetail.interfaces',
      'null serviceDetail.configs',
      'null serviceEdgeRouterPolicyDetail.edgeRouterRoles',
      'null serviceEdgeRouterPolicyDetail.serviceRoles',
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
      'missing apiVersion.version',
      'missing clientExternalJwtSignerDetail.openIdConfigurationUrl',
      'missing commonEdgeRouterProperties.appData',
      'missing enrollmentDetail.details',
      'missing link.comment',
      'missing link.method',
    ],
  },
  { row: '`username` in the response of `POST /enroll`', differences: ['extra enrollmentCerts.username'] },
  {
    row: 'Body of `POST /enroll/ca` and `POST /enroll/updb`',
    differences: [
      'extra POST /enroll/ca body',
      'extra POST /enroll/updb.certCsr',
      'extra POST /enroll/updb.clientCsr',
      'extra POST /enroll/updb.name',
      'extra POST /enroll/updb.serverCertCsr',
    ],
  },
  {
    row: 'Values of tags and of data of configs',
    differences: ['null serviceDetail.config{}{}', 'null subTags{}', 'type serviceDetail.config{}{}', 'type subTags{}'],
  },
  { row: '`method` in the body of `POST /authenticators`', differences: ['enum authenticatorCreate.method'] },
  {
    row: '`limit` and `offset` of lists of role attributes',
    differences: [
      'missing GET /edge-router-role-attributes?limit',
      'missing GET /edge-router-role-attributes?offset',
      'missing GET /identity-role-attributes?limit',
      'missing GET /identity-role-attributes?offset',
      'missing GET /posture-check-role-attributes?limit',
      'missing GET /posture-check-role-attributes?offset',
      'missing GET /service-role-attributes?limit',
      'missing GET /service-role-attributes?offset',
    ],
  },
  {
    row: '`os`, `version`, `arch`, `buildDate`, `revision` of an edge router',
    differences: [
      'missing edgeRouterDetail.arch',
      'missing edgeRouterDetail.buildDate',
      'missing edgeRouterDetail.os',
      'missing edgeRouterDetail.revision',
      'missing edgeRouterDetail.version',
    ],
  },
  {
    row: 'Elements of `GET /edge-routers/{id}/service-edge-router-policies`',
    differences: [
      'extra servicePolicyDetail.edgeRouterRoles',
      'extra servicePolicyDetail.edgeRouterRolesDisplay',
      'missing servicePolicyDetail.identityRoles',
      'missing servicePolicyDetail.identityRolesDisplay',
      'missing servicePolicyDetail.postureCheckRoles',
      'missing servicePolicyDetail.postureCheckRolesDisplay',
      'missing servicePolicyDetail.type',
    ],
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
