import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { addSigner, signersPath } from '../support/external-jwt-signers.ts';

const list = '/edge/client/v1/external-jwt-signers';

describe.each(storePairs)('the public list of external JWT signers on $stores', ({ open }) => {
  let server: TestController;
  let token: string;
  beforeAll(async () => {
    server = await startController(await open());
    token = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const query = async (parameters: Record<string, string> = {}) =>
    server.wire('GET', `${list}?${new URLSearchParams(parameters)}`);

  it('shows anybody the enabled ones with what a client needs, and nothing else', async () => {
    const shown = { clientId: 'console', externalAuthUrl: 'https://login.example.com', scopes: ['openid'] };
    const whole = await addSigner(server, token, {
      ...{
        ...shown,
        name: 'public a',
        targetToken: 'ID',
        enrollToCertEnabled: true,
        tags: { a: 1 },
        kid: 'secret-kid',
      },
      ...{ issuer: 'https://secret.example.com', jwksEndpoint: 'https://secret.example.com/jwks' },
    });
    const bare = await addSigner(server, token, { name: 'public b', audience: '' });
    const disabled = await addSigner(server, token, { name: 'public c', enabled: false });
    const answer = await query({ filter: 'name contains "public"', sort: 'name' });
    expect(answer.status).toBe(200);
    const base = (id: string) => ({
      ...{ id, createdAt: expect.any(String), updatedAt: expect.any(String) },
      _links: { self: { href: `./external-jwt-signers/${id}` } },
    });
    expect(answer.body.data).toEqual([
      {
        ...{ ...base(whole), ...shown, name: 'public a', tags: { a: 1 }, audience: 'the controller' },
        ...{ targetToken: 'ID', enrollToCertEnabled: true },
      },
      { ...base(bare), name: 'public b', tags: {}, externalAuthUrl: null, scopes: null, targetToken: 'ACCESS' },
    ]);
    expect(answer.text).not.toContain('secret');
    expect((await server.wire('PATCH', `${signersPath}/${disabled}`, { token, body: { enabled: true } })).status).toBe(
      200,
    );
    expect((await query({ filter: 'name = "public c"' })).body.data).toHaveLength(1);
    expect((await server.wire('DELETE', `${signersPath}/${disabled}`, { token })).status).toBe(200);
    expect((await query({ filter: 'name = "public c"' })).body.data).toEqual([]);
  });

  it('takes the parameters of a list; a filter may only ask for what is shown', async () => {
    for (const name of ['page a', 'page b', 'page c']) await addSigner(server, token, { name });
    const page = await query({ filter: 'name contains "page"', sort: 'name desc', limit: '1', offset: '1' });
    expect(page.body.data.map(({ name }: { name: string }) => name)).toEqual(['page b']);
    expect(page.body.meta.pagination).toEqual({ limit: 1, offset: 1, totalCount: 3 });
    const { filterableFields } = page.body.meta;
    expect(filterableFields).toEqual(expect.arrayContaining(['name', 'clientId', 'targetToken']));
    for (const hidden of [
      'issuer',
      'kid',
      'certPem',
      'fingerprint',
      'enabled',
      'claimsProperty',
      'enrollAuthPolicyId',
    ]) {
      expect(filterableFields).not.toContain(hidden);
      for (const parameters of [{ filter: `${hidden} != null` }, { sort: hidden }]) {
        expect((await query(parameters)).status, JSON.stringify(parameters)).toBe(400);
      }
    }
  });

  it('is all that the Client API has of signers', async () => {
    const id = await addSigner(server, token);
    for (const headers of [{}, { token }])
      expect((await server.wire('GET', `${list}/${id}`, headers)).status).toBe(404);
    expect((await server.wire('POST', list, { token, body: {} })).status).toBe(405);
    expect((await server.wire('GET', signersPath)).status).toBe(401);
  });
});
