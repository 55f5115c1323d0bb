import type { Resource } from '@edge-controller/shared-types';
import { clientApi, fabricApi, managementApi } from '@edge-controller/shared-types';
import { describe, expect, it } from 'vitest';
import { acts } from '../../src/sign-in/authentication/step-up/acts.ts';
import { startController, storePairs } from '../support/controller.ts';
import { administration, attacks, codeOf, management, maxAge, newPassword, refused } from '../support/step-up.ts';
import { testTime } from '../support/totp.ts';

describe.each(storePairs)('edge.stepUp.administration on $stores', ({ open }) => {
  it('asks before what gives rights and trust, and before the credentials of identities with rights', async () => {
    const time = testTime();
    await using server = await startController({ ...(await open()), clock: time.clock, stepUpAdministration: true });
    const { wire } = server;
    const admin = await server.signIn();
    const [user, colleague] = [await server.addUser(admin), await server.addUser(admin, { isAdmin: true })];
    const victim = { ...user, authenticatorId: '', enrollmentId: '' };
    const passwordOf = async (id: string) => {
      const { authenticators } = (await wire('GET', `${management}/identities/${id}`, { token: admin })).body.data;
      return `${management}/authenticators/${authenticators.updb.id}`;
    };
    const [ofUser, ofColleague] = [await passwordOf(user.id), await passwordOf(colleague.id)];
    await time.pass(maxAge + 1);
    const asked = administration.map(async ([operation, method, path, body]) => {
      const answered = await wire(method, path(victim), { token: admin, ...(body && { body: body(victim) }) });
      return [operation, ...codeOf(answered)];
    });
    expect(await Promise.all(asked)).toEqual(administration.map(([operation]) => [operation, ...refused]));
    const change = (path: string) => wire('PATCH', path, { token: admin, body: { password: newPassword } });
    expect([codeOf(await change(ofColleague)), codeOf(await change(ofUser))]).toEqual([refused, [200, null]]);
    const other = await server.signIn(colleague);
    const { data } = (await wire('GET', `${management}/api-sessions?limit=-1`, { token: admin })).body;
    expect(data.map(({ token }: { token: string }) => token)).not.toContain(other);
    const fresh = await server.signIn();
    expect(
      (await wire('PATCH', `${management}/identities/${user.id}`, { token: fresh, body: { isAdmin: true } })).status,
    ).toBe(200);
  });

  it('is off by default', async () => {
    const time = testTime();
    await using server = await startController({ ...(await open()), clock: time.clock });
    const admin = await server.signIn();
    const user = await server.addUser(admin);
    await time.pass(maxAge + 1);
    for (const [, method, path, body] of administration) {
      const victim = { ...user, authenticatorId: '', enrollmentId: '' };
      const answered = await server.wire(method, path(victim), { token: admin, ...(body && { body: body(victim) }) });
      expect(codeOf(answered)).not.toEqual(refused);
    }
  });
});

/** Why an operation that changes something needs no step-up. A name before the dot alone stands for all its operations. */
const harmless: Readonly<Record<string, string>> = {
  'authentication.authenticate': 'is a proof',
  'authentication.mfa': 'is a proof',
  'currentIdentityAuthenticators.update': 'checks the present password',
  'currentIdentityAuthenticators.patch': 'checks the present password',
  'currentIdentityAuthenticators.extend': 'needs a connection with the present certificate',
  'currentIdentityAuthenticators.extendVerify': 'takes only a certificate that `extend` has issued',
  'currentIdentityMfa.delete': 'checks a code',
  'currentIdentityMfa.createRecoveryCodes': 'checks a code',
  'currentApiSession.delete': 'ends a session',
  'apiSessions.delete': 'ends a session',
  currentIdentityApiSessions: 'ends sessions, and shows no token',
  currentApiSessionCertificates: 'ends with the session',
  enroll: 'needs the token of an enrollment, a certificate or a JWT, and no session',
  'identities.disable': 'changes no credential',
  'identities.enable': 'changes no credential',
  'identities.assignServiceConfigs': 'is about services',
  'identities.removeServiceConfigs': 'is about services',
  'authPolicies.create': 'nobody signs in by a new policy',
  'authPolicies.delete': 'nobody signs in by a policy that can be deleted',
  'cas.delete': 'trusts less',
  'externalJwtSigners.delete': 'trusts less',
  'externalJwtSigners.test': 'changes nothing',
  ...Object.fromEntries(
    ['configs', 'configTypes', 'edgeRouterPolicies', 'postureChecks', 'postureResponses', 'serviceEdgeRouterPolicies']
      .concat('servicePolicies', 'services', 'sessions', 'terminators')
      .map((resource) => [resource, 'is about services']),
  ),
  ...Object.fromEntries(
    ['edgeRouters', 'transitRouters', 'routers', 'links'].map((resource) => [resource, 'is about routers']),
  ),
};

describe('the table of acts', () => {
  it('has an attack for each act', () => {
    const tried = [...attacks, ...administration].map(([operation]) => operation);
    expect([...new Set(tried)].toSorted()).toEqual(Object.keys(acts).toSorted());
  });

  it('has each operation that changes something, or a reason why it is harmless', () => {
    const names = [clientApi, managementApi, fabricApi].flatMap((api) =>
      Object.entries<Resource>(api).flatMap(([resource, operations]) =>
        Object.entries(operations).flatMap(([verb, { method }]) => (method === 'GET' ? [] : [`${resource}.${verb}`])),
      ),
    );
    const known = new Set([...Object.keys(acts), ...Object.keys(harmless)]);
    const isKnown = (name: string) => known.has(name) || known.has(name.split('.')[0] ?? '');
    expect(names.filter((name) => !isKnown(name))).toEqual([]);
    const isUsed = (name: string) => names.some((one) => one === name || one.startsWith(`${name}.`));
    expect([...known].filter((name) => !isUsed(name))).toEqual([]);
    expect(Object.keys(acts).filter((name) => name in harmless)).toEqual([]);
  });
});
