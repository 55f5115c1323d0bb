import { isEdgeApiError, isWrongCredentials } from '@edge-controller/sdk';
import { createEdgeClient } from '@edge-controller/sdk/node';
import { describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';

const clientOf = (server: TestController) => createEdgeClient(server.url, { caFile: server.caFile });

describe.each(storePairs)('the SDK against $stores', ({ open }) => {
  it('signs in, manages identities and signs out', async () => {
    await using server = await startController(await open());
    const edge = clientOf(server);
    const seen: string[] = [];
    edge.on('session', () => seen.push('session'));
    edge.on('signedOut', () => seen.push('signedOut'));
    await edge.signIn.password(adminCredentials);
    expect(edge.session).toMatchObject({
      state: 'full',
      expirationSeconds: 1_800,
      identity: { name: 'Default Admin' },
    });
    const { id } = await edge.management.identities.create({ name: 'sensor', type: 'Device', isAdmin: false });
    await edge.management.identities.patch(id, { roleAttributes: ['field'] });
    expect(await edge.management.identities.get(id)).toMatchObject({ name: 'sensor', roleAttributes: ['field'] });
    const { data, meta } = await edge.management.identities.list({ filter: 'anyOf(roleAttributes) = "field"' });
    expect([data.length, meta.pagination?.totalCount]).toEqual([1, 1]);
    await edge.management.identities.delete(id);
    await expect(edge.management.identities.get(id)).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 });
    await edge.signOut();
    expect(edge.session).toBeNull();
    expect(seen).toEqual(['session', 'signedOut']);
  });

  it('reports once that the session has ended, and what a refused call lacked', async () => {
    await using server = await startController(await open());
    const admin = clientOf(server);
    await admin.signIn.password(adminCredentials);
    const user = await server.addUser(await server.signIn());
    const edge = clientOf(server);
    await edge.signIn.password(user);
    const refusal = await edge.management.identities.list().catch((error: unknown) => error);
    expect(isEdgeApiError(refusal) && refusal.code).toBe('UNAUTHORIZED');
    expect(edge.session?.state).toBe('full');
    let expired = 0;
    edge.on('expired', () => (expired += 1));
    await admin.management.identities.delete(user.id);
    const calls = await Promise.allSettled(Array.from({ length: 20 }, () => edge.client.currentApiSession.get()));
    expect(calls.every(({ status }) => status === 'rejected')).toBe(true);
    expect(expired).toBe(1);
    expect(edge.session).toBeNull();
  });

  it('distinguishes wrong credentials from other refusals', async () => {
    await using server = await startController(await open());
    const admin = clientOf(server);
    await admin.signIn.password(adminCredentials);
    const edge = clientOf(server);
    const { username, password } = adminCredentials;
    const failure = (call: () => Promise<unknown>) =>
      call().then(
        () => expect.fail('the call succeeded'),
        (error: unknown) => error,
      );
    const refused = {
      'a wrong password': () => edge.signIn.password({ username, password: `${password}!` }),
      'an unknown user': () => edge.signIn.password({ username: 'nobody-here', password }),
      'a short user name': () => edge.signIn.password({ username: 'Ada', password }),
      'a short password': () => edge.signIn.password({ username, password: 'abc' }),
      'a password of one letter': () => edge.signIn.password({ username, password: 'a' }),
      'a long password': () => edge.signIn.password({ username, password: 'a'.repeat(101) }),
      'an empty form': () => edge.signIn.password({ username: '', password: '' }),
      'no certificate': () => edge.signIn.certificate(),
      'a JWT of nobody': () => edge.signIn.extJwt({ token: 'e30.e30.e30' }),
    };
    for (const [what, call] of Object.entries(refused)) {
      const error = await failure(call);
      expect(error, what).toSatisfy(isWrongCredentials);
      expect(String(error), what).not.toMatch(/see cause \(/);
    }
    const body = {
      method: 'updb',
      identityId: admin.session?.identity.id ?? '',
      username: 'Ada',
      password: 'abc',
    } as const;
    const others = {
      'a field that is no credential': () =>
        edge.signIn.password({ username, password, configTypes: Array(65).fill('x') }),
      'a new short password': () => admin.management.authenticators.create(body),
      'no session': () => edge.management.identities.list(),
      'an unknown id': () => admin.management.identities.get('unknown'),
      'no controller': () => createEdgeClient('https://127.0.0.1:1', { retries: 0 }).signIn.password(adminCredentials),
    };
    for (const [what, call] of Object.entries(others))
      expect(isWrongCredentials(await failure(call)), what).toBe(false);
    expect(isWrongCredentials(null)).toBe(false);
  });

  it('enrolls with the JWT of an administrator and iterates over every page', async () => {
    await using server = await startController(await open());
    const admin = clientOf(server);
    await admin.signIn.password(adminCredentials);
    for (let at = 0; at < 25; at += 1) {
      await admin.management.identities.create({ name: `device-${at}`, type: 'Device', isAdmin: false });
    }
    const { id } = await admin.management.identities.create({
      name: 'person',
      type: 'User',
      isAdmin: false,
      enrollment: { updb: 'person' },
    });
    const jwt = (await admin.management.identities.get(id)).enrollment.updb?.jwt ?? '';
    const edge = clientOf(server);
    expect(await edge.enroll({ jwt }, { password: 'a password of a user' })).toMatchObject({ username: 'person' });
    await edge.signIn.password({ username: 'person', password: 'a password of a user' });
    expect(edge.session?.identity.id).toBe(id);
    const names = new Set<string>();
    for await (const identity of admin.pages(admin.management.identities.list, {
      filter: 'name contains "device-"',
      limit: 7,
    })) {
      names.add(identity.name);
    }
    expect(names.size).toBe(25);
  });
});
