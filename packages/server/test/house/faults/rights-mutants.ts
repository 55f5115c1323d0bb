import type { SignInMutant } from './mutant.ts';
import { change } from './mutant.ts';

const rights = 'credentials/rights/rights.ts';
const higher = 'credentials/rights/higher-identities.ts';

export const rightsMutants: readonly SignInMutant[] = [
  {
    mutant: 'lets who reads everything write, too',
    mutations: change(
      rights,
      "(permission.endsWith('.read') && permissions.has('admin_readonly'))",
      "permissions.has('admin_readonly')",
    ),
    tests: ['permissions.test'],
  },
  {
    mutant: 'takes a permission of one action for all actions',
    mutations: change(
      rights,
      'permissions.has(permission) ||',
      "[...permissions].some((held) => held.split('.')[0] === permission.split('.')[0]) ||",
    ),
    tests: ['permissions.test'],
  },
  {
    mutant: 'lets a permission cover an administrator',
    mutations: change(rights, '(!other.isAdmin && [', '(['),
    tests: ['escalation', 'permissions.test'],
  },
  {
    mutant: 'lets a permission cover all others',
    mutations: change(rights, '[...other.permissions].every(', '[...other.permissions].some(() => true) || [].every('),
    tests: ['escalation'],
  },
  {
    mutant: 'takes the default administrator for nobody',
    mutations: change(
      rights,
      'isAdmin: isAdmin === 1 || isDefaultAdmin === 1',
      'isAdmin: isAdmin === 1 || isDefaultAdmin === 2',
    ),
    tests: ['escalation'],
  },
  {
    mutant: 'shows tokens to readers',
    mutations: change(
      rights,
      'covers(one, other) && makers.some((permission) => hasPermission(one, permission))',
      'makers.length > 0 && covers(one, other)',
    ),
    tests: ['escalation-secrets'],
  },
  {
    mutant: 'shows tokens of identities with other rights',
    mutations: change(rights, 'return covers(one, other) && makers', 'return other && makers'),
    tests: ['escalation-secrets'],
  },
  {
    mutant: 'lets everybody change every identity',
    mutations: change(higher, 'if (row && !covers(asker, rightsOf(row))) throw', 'if (row === null) throw'),
    tests: ['escalation', 'permissions.test'],
  },
  {
    mutant: 'finds no administrators among those with more rights',
    mutations: change(higher, `("isAdmin" = 1 or "isDefaultAdmin" = 1)`, `("isAdmin" = 2)`),
    tests: ['escalation'],
  },
  {
    mutant: 'finds no holders of permissions among those with more rights',
    mutations: change(higher, "others.where('permissions', 'is not', null)", "others.where('permissions', '=', '')"),
    tests: ['escalation'],
  },
  {
    mutant: 'asks no entity whether a caller may change it',
    mutations: change(
      'crud/authorize.ts',
      'if (!session || session.principal.isAdmin) return;',
      'if (session || !session) return;',
    ),
    tests: ['escalation', 'permissions.test'],
  },
  {
    mutant: 'asks nobody about a deletion',
    mutations: change('crud/write.ts', 'await authorize(change, entity, { previous: state, next: null });', ''),
    tests: ['escalation'],
  },
  {
    mutant: 'asks nobody about an assignment',
    mutations: change(
      'entities/network-services/service-configs.ts',
      "await authorize({ unit, verb: 'set', body: {} }, identities, { previous: state, next: state });",
      'authorize;',
    ),
    tests: ['escalation'],
  },
  {
    mutant: 'lets everybody make administrators',
    mutations: change('entities/identities/authorize.ts', 'isAdmin: body.isAdmin === true,', 'isAdmin: false,'),
    tests: ['escalation'],
  },
  {
    mutant: 'lets everybody give permissions to a new identity',
    mutations: change(
      'entities/identities/authorize.ts',
      'permissions: isAny(body.permissions)',
      'permissions: isAny(null)',
    ),
    tests: ['escalation'],
  },
  {
    mutant: 'lets everybody change rights',
    mutations: change(
      'entities/identities/authorize.ts',
      'refuseRights({ isAdmin: isSent(body.isAdmin), permissions: isSent(body.permissions) });',
      '',
    ),
    tests: ['escalation'],
  },
  {
    mutant: 'removes the TOTP of everybody',
    mutations: change(
      'entities/identities/identity-actions.ts',
      'await requireRightsOf(unit.tx, principal, id);',
      'requireRightsOf;',
    ),
    tests: ['escalation'],
  },
  {
    mutant: 'ends the sessions of everybody',
    mutations: change(
      'sessions/api-sessions.ts',
      'if (stored) await requireRightsOf(',
      'if (stored === null) await requireRightsOf(',
    ),
    tests: ['escalation'],
  },
  {
    mutant: 'shows tokens of sessions to all readers',
    mutations: change('sessions/api-sessions.ts', 'principal.isAdmin && (id', '(id'),
    tests: ['escalation-secrets', 'permissions.test'],
  },
  {
    mutant: 'lists the enrollments of all identities',
    mutations: change('crud/read-entities.ts', '[...conditions, ...listed]', '[...conditions, ...listed.slice(0, 0)]'),
    tests: ['escalation-secrets'],
  },
  {
    mutant: 'shows one enrollment of any identity',
    mutations: change(
      'entities/enrollments.ts',
      'await requireRightsOf(call.database.db, call.session.principal, detail.identityId);',
      '',
    ),
    tests: ['escalation-secrets'],
  },
  {
    mutant: 'shows identities of one turn as the first caller may see them',
    mutations: change(
      'entities/identities/current-identity.ts',
      'read(withoutSession(call),',
      'read((withoutSession, call),',
    ),
    tests: ['escalation-secrets'],
  },
  {
    mutant: 'changes a policy of administrators',
    mutations: change(
      'entities/auth-policies.ts',
      'if (higher.every(({ authPolicyId }) => authPolicyId !== id)) return;',
      'if (higher || id) return;',
    ),
    tests: ['escalation-sign-ins'],
  },
  {
    mutant: 'changes a signer whose JWTs open sessions of administrators',
    mutations: change(
      'entities/external-jwt-signers/authorize.ts',
      'allowsSigner(primary.extJwt, id) ||',
      'allowsSigner(primary.extJwt, id.slice(1)) ||',
    ),
    tests: ['escalation-sign-ins'],
  },
  {
    mutant: 'changes a signer whose JWTs administrators need',
    mutations: change(
      'entities/external-jwt-signers/authorize.ts',
      ' || secondary.requireExtJwtSigner === id',
      " || secondary.requireExtJwtSigner === ''",
    ),
    tests: ['escalation-sign-ins'],
  },
  {
    mutant: 'gives a CA a claim that names administrators',
    mutations: change(
      'entities/cas/authorize.ts',
      '(next !== null && next.externalIdClaim !== null)',
      'next?.id === null',
    ),
    tests: ['escalation-sign-ins'],
  },
  {
    mutant: 'changes a CA whose claim names administrators',
    mutations: change(
      'entities/cas/authorize.ts',
      'const isClaiming = ca.externalIdClaim !== null ||',
      'const isClaiming =',
    ),
    tests: ['escalation-sign-ins'],
  },
  {
    mutant: 'changes a CA that has issued the certificate of an administrator',
    mutations: change(
      'entities/cas/authorize.ts',
      'authenticators.some(({ certPem }) => certPem &&',
      'authenticators.some(({ certPem }) => !certPem &&',
    ),
    tests: ['escalation-sign-ins'],
  },
  {
    mutant: 'changes a CA that enrolls an administrator',
    mutations: change(
      'entities/cas/authorize.ts',
      'if (enrollment !== undefined) return true;',
      'if (enrollment === null) return true;',
    ),
    tests: ['escalation-sign-ins'],
  },
  {
    mutant: 'keeps the permissions of live sessions',
    mutations: change(
      'entities/identities/identities.ts',
      "permissions: { access: 'none', affectsSessions: true },",
      "permissions: { access: 'none' },",
    ),
    tests: ['identity-permissions'],
  },
  {
    mutant: 'accepts permissions that nobody knows',
    mutations: change(
      'entities/identities/identities.ts',
      'if (unknown !== undefined) throw',
      'if (unknown === null) throw',
    ),
    tests: ['identity-permissions'],
  },
];
