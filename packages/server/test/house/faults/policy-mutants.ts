import type { SignInMutant } from './mutant.ts';
import { change } from './mutant.ts';

const principals = 'sessions/principals.ts';
const sessions = 'sessions/sessions.ts';
const roles = 'crud/roles.ts';

export const revocationMutants: readonly SignInMutant[] = [
  {
    mutant: 'accepts sessions of a credential that was raised',
    mutations: change(
      principals,
      'if (!isOfCredential(session, found.credentials.get(session.authenticatorId))) return null;',
      'isOfCredential;',
    ),
    tests: ['fail-over', 'revocation', 'lockout', 'authenticators.test'],
  },
  {
    mutant: 'accepts sessions that have ended in SQL',
    mutations: change(principals, 'if (cached === null || hasEnded) return null;', 'if (cached === null) return null;'),
    tests: ['fail-over', 'revocation'],
  },
  {
    mutant: 'accepts sessions whose CA or signer has changed',
    mutations: change(
      principals,
      'if (found === null || (await this.#hasEndedWithIssuer(session, version))) return null;',
      'if (found === null) return null;\n    this.#hasEndedWithIssuer;',
    ),
    tests: ['ext-jwt-replicas', 'certificate-sign-in-cas', 'external-jwt-signers-sessions'],
  },
  {
    mutant: 'accepts sessions of disabled identities',
    mutations: change(principals, 'return this.#isOut(session, found) ? null : found;', 'return found;'),
    tests: ['authenticate.test', 'identities.test', 'revocation', 'sessions.test'],
  },
  {
    mutant: 'disables for a moment too long',
    mutations: change(
      'credentials/sign-in-rules/is-disabled.ts',
      'Date.parse(row.disabledUntil) > now',
      'Date.parse(row.disabledUntil) >= now',
    ),
    tests: ['lockout'],
  },
  {
    mutant: 'ends a session in the session store only',
    mutations: change('sessions/end-session.ts', 'await record();', ''),
    tests: ['fail-over', 'revocation'],
  },
  {
    mutant: 'publishes nothing of a session that it could not remove',
    mutations: change(
      'sessions/end-session.ts',
      "await database.transaction((tx) => outbox.add(tx, { kind: 'changed' }));",
      '',
    ),
    tests: ['revocation', 'redis-outage'],
  },
  {
    mutant: 'serves operations of full sessions to partial ones',
    mutations: change(
      sessions,
      'const isFull = state.authQueries.length === 0;',
      'const isFull = state.authQueries.length >= 0;',
    ),
    tests: ['access', 'totp-partial'],
  },
  {
    mutant: 'serves operations of administrators to everybody',
    mutations: change(
      sessions,
      'return isFull && permission !== undefined && hasPermission(principal, permission);',
      'return isFull && (permission === undefined || hasPermission(principal, permission) || true);',
    ),
    tests: ['access', 'permissions.test'],
  },
  {
    mutant: 'leaves the sessions of an identity that is disabled',
    mutations: change(
      'entities/identities/identity-actions.ts',
      "await unit.affect({ kind: 'endSessions', identityId: id });",
      '',
    ),
    tests: ['identities.test', 'fail-over', 'certificate-sign-in-cas'],
  },
  {
    mutant: 'disables the last administrator',
    mutations: change(
      'entities/identities/identity-actions.ts',
      'if (await isAdministrator(unit.tx, id)) {',
      'if (!(await isAdministrator(unit.tx, id))) {',
    ),
    tests: ['last-administrator'],
  },
];

export const policyMutants: readonly SignInMutant[] = [
  {
    mutant: 'takes AllOf for AnyOf',
    mutations: change(roles, "return semantic === 'AnyOf' ? 1", "return semantic !== 'AnyOf' ? 1"),
    tests: ['roles.test', 'policy.test'],
  },
  {
    mutant: 'selects with one role less than a policy needs',
    mutations: change(
      roles,
      'group by r."ownerId" having count(*) >= max(r."need")',
      'group by r."ownerId" having count(*) >= max(r."need") - 1',
    ),
    tests: ['roles.test', 'policy.test'],
  },
  {
    mutant: 'selects with one of the policies of two entities',
    mutations: change(roles, '    intersect select "ownerId"', '    union select "ownerId"'),
    tests: ['roles.test', 'policy.test'],
  },
  {
    mutant: 'gives up a group that another one covers in part',
    mutations: change(
      roles,
      '[...smaller].every((name) => names.has(name))',
      '[...smaller].some((name) => names.has(name))',
    ),
    tests: ['roles.test', 'policy.test'],
  },
  {
    mutant: 'selects everything where nothing is selected',
    mutations: change(roles, 'sql<boolean>`1 = 0`', 'sql<boolean>`1 = 1`'),
    tests: ['roles.test', 'policy.test', 'role-filter'],
  },
  {
    mutant: 'forgets the third attribute of a group',
    mutations: change(
      roles,
      'const list = groups.map(([first, second, ...others]) => [first, second, others]);',
      'const list = groups.map(([first, second]) => [first, second, []]);',
    ),
    tests: ['roles.test', 'policy.test', 'role-filter'],
  },
  {
    mutant: 'pairs services with policies that need one role more',
    mutations: change(
      roles,
      'group by r."ownerId", a."ownerId" having count(*) >= max(r."need")`',
      'group by r."ownerId", a."ownerId" having count(*) >= max(r."need") - 1`',
    ),
    tests: ['roles.test'],
  },
  {
    mutant: 'lists services of policies of another type',
    mutations: change('crud/relations.ts', 'lower("type") =', `'' <>`),
    tests: ['services.test', 'services-random'],
  },
  {
    mutant: 'lets services pass without their posture checks',
    mutations: change(
      'entities/network-services/read-posture-queries.ts',
      'postureQueries.every((query) => query.isPassing)',
      'postureQueries.every(() => true)',
    ),
    tests: ['services.test'],
  },
  {
    mutant: 'shows configs of services that no session asked for',
    mutations: change(
      'entities/network-services/read-shown-configs.ts',
      "ofIds.where('configTypes.id', 'in', inValues(database.sql, configTypes))",
      'ofIds',
    ),
    tests: ['services.test'],
  },
  {
    mutant: 'shows the config of services before an assigned one',
    mutations: change(
      'entities/network-services/read-shown-configs.ts',
      '[...configs, ...assignedTo(id)]',
      '[...assignedTo(id), ...configs]',
    ),
    tests: ['services.test'],
  },
  {
    mutant: 'offers the routers of an identity without those of the service',
    mutations: change(
      'entities/routers/usable-routers.ts',
      'return (await Promise.all([routersOfIdentity(dependencies, identityId), ofService])).flat();',
      'await ofService;\n  return await routersOfIdentity(services, identityId);',
    ),
    tests: ['routers-random', 'router-policies'],
  },
  {
    mutant: 'offers routers that have not enrolled',
    mutations: change(
      'entities/routers/current-identity-edge-routers.ts',
      "conditions: [...own, whereTrue('isVerified')],",
      'conditions: [...own, ...[whereTrue].slice(1)] as never,',
    ),
    tests: ['routers-random', 'router-policies'],
  },
  {
    mutant: 'offers every router to every identity',
    mutations: change(
      'entities/routers/current-identity-edge-routers.ts',
      'const own = isAdmin ? [] :',
      'const own = isAdmin || !isAdmin ? [] :',
    ),
    tests: ['routers-random', 'router-policies'],
  },
  {
    mutant: 'shows the routers and terminators of services that the caller may not use',
    mutations: change(
      'entities/routers/client-services.ts',
      'if (found === undefined) throw',
      'if (found === null) throw',
    ),
    tests: ['router-policies'],
  },
  {
    mutant: 'takes any token for one of a session',
    mutations: change(
      'entities/routers/client-services.ts',
      'if (token && !(await',
      'if (token && !serviceId && !(await',
    ),
    tests: ['router-policies'],
  },
  {
    mutant: 'changes what the controller has made',
    mutations: change('crud/write.ts', "  refuseProtected(entity, previous, 'ENTITY_CAN_NOT_BE_UPDATED');\n", ''),
    tests: ['router-policies', 'crud/protected'],
  },
  {
    mutant: 'deletes what the controller has made',
    mutations: change(
      'crud/write.ts',
      "if (verb === 'delete') refuseProtected",
      "if (verb === 'set' as never) refuseProtected",
    ),
    tests: ['router-policies', 'crud/protected'],
  },
  {
    mutant: 'moves terminators to another service',
    mutations: change(
      'entities/routers/terminators.ts',
      'return { serviceId: previous?.serviceId ?? serviceId };',
      'return { serviceId: serviceId ?? previous?.serviceId };',
    ),
    tests: ['terminators'],
  },
  {
    mutant: 'filters by any role where all are asked for',
    mutations: change(
      roles,
      "const isGroup = semantic === 'AllOf' && names.length > 1;",
      "const isGroup = semantic === 'AnyOf' && names.length > 1;",
    ),
    tests: ['role-filter', 'policy.test'],
  },
  {
    mutant: 'filters by AnyOf unless asked for another semantic',
    mutations: change('crud/role-filter.ts', "roleSemantic = 'AllOf'", "roleSemantic = 'AnyOf'"),
    tests: ['role-filter'],
  },
  {
    mutant: 'takes a method from the last administrators',
    mutations: change(
      'entities/auth-policies.ts',
      'const taken = previous && takenFromAdministrators(previous, next);',
      'const taken = false && previous && takenFromAdministrators(previous, next);',
    ),
    tests: ['auth-policies', 'last-administrator'],
  },
  {
    mutant: 'counts administrators who need a JWT of a signer',
    mutations: change(
      'credentials/sign-in-rules/can-administer.ts',
      'return !policy.secondary.requireExtJwtSigner && (',
      'return (',
    ),
    tests: ['auth-policies', 'last-administrator'],
  },
  {
    mutant: 'deletes the default policy',
    mutations: change('entities/auth-policies.ts', 'if (isSystem) {', 'if (isSystem && id === null) {'),
    tests: ['auth-policies'],
  },
  {
    mutant: 'deletes the policy of the enrollments of a signer',
    mutations: change('entities/auth-policies.ts', 'if (!signer) return;', 'if (signer || !signer) return;'),
    tests: ['auth-policies', 'external-jwt-signers-references'],
  },
  {
    mutant: 'allows passwords of any length',
    mutations: change(
      'entities/auth-policies.ts',
      'Math.max(shortestPassword, updb.minPasswordLength)',
      'updb.minPasswordLength',
    ),
    tests: ['auth-policies'],
  },
  {
    mutant: 'names signers that do not exist',
    mutations: change('entities/auth-policies.ts', 'if (!unknown) return;', 'if (!unknown || unknown) return;'),
    tests: ['auth-policies', 'external-jwt-signers-references'],
  },
];
