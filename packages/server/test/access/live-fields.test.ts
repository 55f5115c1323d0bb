import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { ControllerOptions } from '../../src/index.ts';
import { createRedisClient } from '../../src/storage/database/redis/clients.ts';
import { addPolicy, authPolicies, policyRules } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { signerBody, signersPath } from '../support/external-jwt-signers.ts';
import { createTestCa } from '../support/test-ca.ts';

const management = '/edge/management/v1';
const identities = `${management}/identities`;
const current = '/edge/client/v1/current-api-session';

/** Reads the version of the session store beside the controller: a change empties the caches of every replica. */
async function readVersion({ options }: TestController): Promise<string> {
  if (!options.redisUrl) {
    const database = new Database(join(options.dataDir ?? '', 'sessions.db'), { readonly: true });
    try {
      return String(database.prepare('select value from version').pluck().get());
    } finally {
      database.close();
    }
  }
  const client = createRedisClient({ url: options.redisUrl });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const [key] = await client.keys('*version');
    return (key && (await client.get(key))) ?? '';
  } finally {
    await client.close();
  }
}

async function start(options: ControllerOptions) {
  const server = await startController(options);
  const token = await server.signIn();
  const send = async (method: string, path: string, body?: object) => {
    const before = await readVersion(server);
    const answer = await server.wire(method, path, { token, ...(body ? { body } : {}) });
    expect(answer.status, `${method} ${path} ${answer.text}`).toBeLessThan(300);
    return { id: answer.body.data.id, isBumped: (await readVersion(server)) !== before };
  };
  return { server, token, send };
}

describe.each(storePairs)('the caches of identities on $stores', ({ open }) => {
  it('are emptied by a change of an identity that decides about sessions, and by no other', async () => {
    const { server, token, send } = await start(await open());
    await using _ = server;
    const { id } = await server.addUser(token);
    const authPolicyId = await addPolicy(server, token, { name: 'another' });
    const one = `${identities}/${id}`;
    const isBumped = async (body: object) => (await send('PATCH', one, body)).isBumped;
    const others = {
      ...{ tags: { a: 1 }, appData: { a: { b: [1] } }, roleAttributes: ['a', 'b'] },
      ...{ defaultHostingCost: 5, defaultHostingPrecedence: 'required' },
    };
    for (const [name, value] of Object.entries(others)) expect(await isBumped({ [name]: value }), name).toBe(false);
    expect(await isBumped(others)).toBe(false);
    const live = { name: 'renamed', isAdmin: true, permissions: ['service'], authPolicyId, externalId: 'ext' };
    for (const [name, value] of Object.entries(live)) {
      expect(await isBumped({ [name]: value }), name).toBe(true);
      expect(await isBumped({ [name]: value }), `${name} again`).toBe(false);
    }
    expect(await isBumped({ ...others, isAdmin: false, permissions: [] })).toBe(true);

    const same = { name: 'renamed', type: 'User', isAdmin: false, authPolicyId, externalId: 'ext' };
    expect((await send('PUT', one, same)).isBumped).toBe(false);
    expect((await send('POST', identities, { name: 'new', type: 'User', isAdmin: true })).isBumped).toBe(false);
    expect((await send('POST', `${one}/disable`, { durationMinutes: 5 })).isBumped).toBe(true);
    expect((await send('PUT', one, same)).isBumped, 'PUT enables').toBe(true);
    expect((await send('POST', `${one}/disable`, { durationMinutes: 5 })).isBumped).toBe(true);
    expect((await send('POST', `${one}/enable`)).isBumped).toBe(true);
    expect((await send('DELETE', one)).isBumped).toBe(true);
  });

  it('are emptied by a change of the rules of an auth policy, and not by one of its name', async () => {
    const { server, send } = await start(await open());
    await using _ = server;
    const { id, isBumped } = await send('POST', authPolicies, { name: 'rules', ...policyRules });
    expect(isBumped).toBe(false);
    const one = `${authPolicies}/${id}`;
    const bumps = async (body: object) => (await send('PATCH', one, body)).isBumped;
    expect(await bumps({ name: 'renamed', tags: { a: 1 } })).toBe(false);
    expect(await bumps({ primary: { updb: { maxAttempts: 7 } } })).toBe(true);
    expect(await bumps({ primary: { updb: { maxAttempts: 7 } } })).toBe(false);
    expect(await bumps({ primary: { updb: { maxAttempts: null } }, secondary: {} })).toBe(false);
    expect(await bumps({ secondary: { requireTotp: true } })).toBe(true);
    const { primary } = policyRules;
    const whole = { name: 'again', primary, secondary: { requireTotp: true } };
    expect((await send('PUT', one, whole)).isBumped).toBe(true);
    expect((await send('PUT', one, { ...whole, name: 'last' })).isBumped).toBe(false);
    expect((await send('DELETE', one)).isBumped).toBe(true);
  });

  it('are emptied by every change of an external JWT signer except its name and tags', async () => {
    const { server, send } = await start(await open());
    await using _ = server;
    const body = signerBody();
    const { id, isBumped } = await send('POST', signersPath, body);
    expect(isBumped).toBe(true);
    const one = `${signersPath}/${id}`;
    const bumps = async (change: object) => (await send('PATCH', one, change)).isBumped;
    expect(await bumps({ name: 'renamed', tags: { a: 1 } })).toBe(false);
    const live = {
      ...{ issuer: 'https://a.example.com', audience: 'a', jwksEndpoint: 'https://a.example.com/jwks', kid: 'a' },
      ...{ claimsProperty: '/a', useExternalId: true, externalAuthUrl: 'https://a.example.com', clientId: 'a' },
      ...{ scopes: ['a'], targetToken: 'ID', enrollToCertEnabled: true, enrollNameClaimsSelector: '/a' },
      ...{ enrollAttributeClaimsSelector: '/a', enabled: false },
      enrollAuthPolicyId: await addPolicy(server, await server.signIn(), { name: 'of new identities' }),
    };
    for (const [name, value] of Object.entries(live)) {
      expect(await bumps({ [name]: value }), name).toBe(true);
      expect(await bumps({ [name]: value }), `${name} again`).toBe(false);
    }
    const certificate = signerBody({ certPem: createTestCa().certPem, jwksEndpoint: null });
    expect((await send('PUT', one, certificate)).isBumped).toBe(true);
    expect(await bumps({ certPem: createTestCa().certPem })).toBe(true);
    expect((await send('DELETE', one)).isBumped).toBe(true);
  });

  it('are not emptied by changes of enrollments and user names', async () => {
    const { server, token, send } = await start(await open());
    await using _ = server;
    const body = { name: 'somebody', type: 'User', isAdmin: false, enrollment: { updb: 'somebody' } };
    const { id: identityId } = await send('POST', identities, body);
    const { data } = (await server.wire('GET', `${identities}/${identityId}/enrollments`, { token })).body;
    const one = `${management}/enrollments/${data[0].id}`;
    const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
    expect((await send('POST', `${one}/refresh`, { expiresAt })).isBumped).toBe(false);
    expect((await send('DELETE', one)).isBumped).toBe(false);
    const account = { method: 'updb', identityId, username: 'somebody', password: 'a long password' };
    const { id, isBumped } = await send('POST', `${management}/authenticators`, account);
    expect(isBumped).toBe(false);
    expect((await send('PATCH', `${management}/authenticators/${id}`, { username: 'other' })).isBumped).toBe(false);
  });

  it('tell a live session of its identity at the next request; no other change ends it', async () => {
    const { server, token, send } = await start(await open());
    await using _ = server;
    const user = await server.addUser(token, { isAdmin: true });
    const own = await server.signIn(user);
    const one = `${identities}/${user.id}`;
    const status = async (path: string) => (await server.wire('GET', path, { token: own })).status;
    expect(await status(identities)).toBe(200);
    await send('PATCH', one, { tags: { a: 1 }, appData: { b: 1 }, roleAttributes: ['c'] });
    expect(await status(identities)).toBe(200);
    await send('PATCH', one, { name: 'renamed' });
    expect((await server.wire('GET', current, { token: own })).body.data.identity.name).toBe('renamed');
    await send('PATCH', one, { isAdmin: false });
    expect([await status(identities), await status(current)]).toEqual([401, 200]);
    await send('POST', `${one}/disable`, { durationMinutes: 0 });
    expect(await status(current)).toBe(401);
    await send('POST', `${one}/enable`);
    expect(await status(current)).toBe(401);
    const again = await server.signIn(user);
    expect((await server.wire('GET', current, { token: again })).status).toBe(200);
    await send('DELETE', one);
    expect((await server.wire('GET', current, { token: again })).status).toBe(401);
  });
});
