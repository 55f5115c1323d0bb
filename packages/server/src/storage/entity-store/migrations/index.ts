// Generated from the files of this folder by scripts/generate-migrations.ts. Do not edit.
import { identities } from './0001-identities.ts';
import { authPoliciesAndTotp } from './0002-auth-policies-and-totp.ts';
import { tablesOfSecrets } from './0003-tables-of-secrets.ts';
import { entitiesDescribedOnce } from './0004-entities-described-once.ts';
import { revocation } from './0005-revocation.ts';
import { usedTotpSteps } from './0006-used-totp-steps.ts';
import { attemptsThatDoNotWait } from './0007-attempts-that-do-not-wait.ts';
import { administrators } from './0008-administrators.ts';
import { certificates } from './0009-certificates.ts';
import { externalJwtSigners } from './0010-external-jwt-signers.ts';
import { claimNames } from './0011-claim-names.ts';
import { configs } from './0012-configs.ts';
import { postureChecks } from './0013-posture-checks.ts';
import { services } from './0014-services.ts';
import { routers } from './0015-routers.ts';
import { permissions } from './0016-permissions.ts';
import { serviceUpdates } from './0017-service-updates.ts';
import { routerEnrollments } from './0018-router-enrollments.ts';
import { postureLosses } from './0019-posture-losses.ts';
import { terminatorHosts } from './0020-terminator-hosts.ts';
import { auditLog } from './0021-audit-log.ts';
import { instanceIds } from './0022-instance-ids.ts';
import { keptUpdateTimes } from './0023-kept-update-times.ts';
import { passwordDelays } from './0024-password-delays.ts';
import { signerRequirements } from './0025-signer-requirements.ts';
import { endsOfJwtSessions } from './0026-ends-of-jwt-sessions.ts';
import { passwordsOfOthers } from './0027-passwords-of-others.ts';
import type { SchemaChange } from './schema-change.ts';

/** All changes of the schema in the order of their names, the same for both databases. */
export const schemaChanges: Readonly<Record<string, SchemaChange>> = {
  '0001-identities': identities,
  '0002-auth-policies-and-totp': authPoliciesAndTotp,
  '0003-tables-of-secrets': tablesOfSecrets,
  '0004-entities-described-once': entitiesDescribedOnce,
  '0005-revocation': revocation,
  '0006-used-totp-steps': usedTotpSteps,
  '0007-attempts-that-do-not-wait': attemptsThatDoNotWait,
  '0008-administrators': administrators,
  '0009-certificates': certificates,
  '0010-external-jwt-signers': externalJwtSigners,
  '0011-claim-names': claimNames,
  '0012-configs': configs,
  '0013-posture-checks': postureChecks,
  '0014-services': services,
  '0015-routers': routers,
  '0016-permissions': permissions,
  '0017-service-updates': serviceUpdates,
  '0018-router-enrollments': routerEnrollments,
  '0019-posture-losses': postureLosses,
  '0020-terminator-hosts': terminatorHosts,
  '0021-audit-log': auditLog,
  '0022-instance-ids': instanceIds,
  '0023-kept-update-times': keptUpdateTimes,
  '0024-password-delays': passwordDelays,
  '0025-signer-requirements': signerRequirements,
  '0026-ends-of-jwt-sessions': endsOfJwtSessions,
  '0027-passwords-of-others': passwordsOfOthers,
};
