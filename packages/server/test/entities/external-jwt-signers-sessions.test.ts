import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Stores } from '../../src/storage/open-stores.ts';
import { addPolicy, addUserUnder, policyRules } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { addSigner, signerBody, signersPath } from '../support/external-jwt-signers.ts';
import { openSignerSession, openStoresBeside } from '../support/signer-sessions.ts';
import { sql } from '../support/sql.ts';

describe.each(storePairs)('API sessions of external JWT signers on $stores', ({ open }) => {
  let server: TestController;
  let stores: Stores;
  let admin: string;
  let authPolicyId: string;
  beforeAll(async () => {
    server = await startController(await open());
    stores = await openStoresBeside(server);
    admin = await server.signIn();
    const primary = { ...policyRules.primary, extJwt: { allowed: true, allowedSigners: [] } };
    authPolicyId = await addPolicy(server, admin, { name: 'with JWTs', primary });
  });
  afterAll(async () => {
    await stores.close();
    await server[Symbol.asyncDispose]();
  });

  const addUser = () => addUserUnder(server, admin, { authPolicyId });
  const change = async (method: 'PUT' | 'PATCH' | 'DELETE', id: string, body?: object) => {
    const answer = await server.wire(method, `${signersPath}/${id}`, { token: admin, ...(body && { body }) });
    expect(answer.status, answer.text).toBe(200);
  };
  const status = async (token: string) =>
    (await server.wire('GET', '/edge/client/v1/current-api-session', { token })).status;
  const listed = async (identityId: string) => {
    const query = new URLSearchParams({ filter: `identity = "${identityId}"` });
    return (await server.wire('GET', `/edge/management/v1/api-sessions?${query}`, { token: admin })).body.data;
  };

  it('show the signer instead of an authenticator', async () => {
    const { id: identityId } = await addUser();
    const signerId = await addSigner(server, admin);
    const token = await openSignerSession(stores, { identityId, signerId });
    const { data } = (await server.wire('GET', '/edge/client/v1/current-api-session', { token })).body;
    expect(data).toMatchObject({ identityId, authenticatorId: `extJwtId:${signerId}` });
    expect(await listed(identityId)).toMatchObject([{ authenticatorId: `extJwtId:${signerId}` }]);
  });

  it.each([
    ['it is disabled', { enabled: false }],
    ['its issuer changes', { issuer: 'https://elsewhere.example.com' }],
    ['its claim changes', { claimsProperty: '/email' }],
    ['its claim becomes the external id', { useExternalId: true }],
  ])('end for good when %s; those of another signer and of passwords stay', async (_, body) => {
    const user = await addUser();
    const { id: identityId } = user;
    const [signerId, otherId] = [await addSigner(server, admin), await addSigner(server, admin)];
    const [first, second] = [
      await openSignerSession(stores, { identityId, signerId }),
      await openSignerSession(stores, { identityId, signerId }),
    ];
    const others = [await openSignerSession(stores, { identityId, signerId: otherId }), await server.signIn(user)];
    for (const token of [first, ...others]) expect(await status(token)).toBe(200);
    await change('PATCH', signerId, body);
    expect(await listed(identityId)).toHaveLength(2);
    await change('PATCH', signerId, { enabled: true });
    for (const token of [first, second]) expect(await status(token)).toBe(401);
    for (const token of others) expect(await status(token)).toBe(200);
    expect(await status(await openSignerSession(stores, { identityId, signerId }))).toBe(200);
    await change('PATCH', otherId, { issuer: `https://${otherId}.example.com` });
    await change('PATCH', signerId, { issuer: `https://${signerId}.example.com` });
  });

  it('stay when anything else of it changes', async () => {
    const { id: identityId } = await addUser();
    const signerId = await addSigner(server, admin);
    const token = await openSignerSession(stores, { identityId, signerId });
    for (const body of [
      ...[{ name: 'another name' }, { audience: 'another' }, { jwksEndpoint: 'https://new.example.com/jwks' }],
      ...[{ clientId: 'c', scopes: ['openid'], targetToken: 'ID', externalAuthUrl: 'https://new.example.com' }],
      ...[
        { enrollToCertEnabled: true, enrollNameClaimsSelector: '/n' },
        { enabled: true, claimsProperty: '/sub' },
      ],
    ]) {
      await change('PATCH', signerId, body);
      expect(await status(token), JSON.stringify(body)).toBe(200);
    }
    const [row] = await sql(server, `select "issuer" from "externalJwtSigners" where id = '${signerId}'`);
    await change('PUT', signerId, signerBody({ issuer: row?.issuer, authVersion: 9 }));
    expect(await status(token)).toBe(200);
  });

  it('end when it is deleted, with all that it left', async () => {
    const { id: identityId } = await addUser();
    const [signerId, otherId] = [await addSigner(server, admin), await addSigner(server, admin)];
    const token = await openSignerSession(stores, { identityId, signerId });
    const other = await openSignerSession(stores, { identityId, signerId: otherId });
    await change('DELETE', signerId);
    expect(await listed(identityId)).toHaveLength(1);
    expect([await status(token), await status(other)]).toEqual([401, 200]);
    const credentials = async () => {
      const rows = await sql(server, `select "authenticatorId" from credentials where "identityId" = '${identityId}'`);
      return rows.map(({ authenticatorId }) => String(authenticatorId)).filter((id) => id.startsWith('extJwtId:'));
    };
    await expect.poll(credentials).toEqual([`extJwtId:${otherId}`]);
  });

  it('leave nothing when it is deleted, however many identities have signed in', async () => {
    const { id: identityId } = await addUser();
    const signerId = await addSigner(server, admin);
    const [columns = {}] = await sql(server, `select * from identities where id = '${identityId}'`);
    const own: Record<string, string> = { id: `i.id || g.value`, name: `i.name || g.value`, externalId: 'null' };
    const names = Object.keys(columns);
    const quoted = names.map((name) => `"${name}"`).join(', ');
    const values = names.map((name) => own[name] ?? `i."${name}"`).join(', ');
    const numbers = 'with recursive g(value) as (select 1 union all select value + 1 from g where value < 2300)';
    const copies = `select ${values} from g, (select * from identities where id = '${identityId}') as i`;
    await sql(server, `insert into identities (${quoted}) ${numbers} ${copies}`);
    const rows = `select '${identityId}' || value, 'extJwtId:${signerId}', 0 from g`;
    await sql(server, `insert into credentials ("identityId", "authenticatorId", "version") ${numbers} ${rows}`);
    const left = () => sql(server, `select 1 from credentials where "authenticatorId" = 'extJwtId:${signerId}'`);
    expect(await left()).toHaveLength(2300);
    await change('PATCH', signerId, { enabled: false });
    expect(await left()).toHaveLength(2300);
    await change('DELETE', signerId);
    await expect.poll(left).toEqual([]);
  });

  it('have ended although the session store still has them', async () => {
    const { id: identityId } = await addUser();
    const signerId = await addSigner(server, admin);
    const tokens = [
      await openSignerSession(stores, { identityId, signerId }),
      await openSignerSession(stores, { identityId, signerId }),
    ];
    expect(await status(tokens[0] ?? '')).toBe(200);
    // No effect was stored, so only the next version of the entities shows it.
    await sql(server, `update "externalJwtSigners" set "authVersion" = "authVersion" + 1 where id = '${signerId}'`);
    await stores.sessions.bumpVersion();
    for (const token of tokens) expect(await status(token)).toBe(401);
    expect(await listed(identityId)).toEqual([]);
  });

  it('are known at once when the signer is new', async () => {
    const { id: identityId } = await addUser();
    const tokens: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      const signerId = await addSigner(server, admin);
      tokens.push(await openSignerSession(stores, { identityId, signerId }));
    }
    expect(await Promise.all(tokens.map(status))).toEqual([200, 200, 200]);
  });

  it('end with the signer after a crash between the commit and the session store', async () => {
    const { id: identityId } = await addUser();
    const signerId = await addSigner(server, admin);
    const token = await openSignerSession(stores, { identityId, signerId });
    await sql(server, `update "externalJwtSigners" set "authVersion" = 1 where id = '${signerId}'`);
    const effect = JSON.stringify({ kind: 'endSignerSessions', signerId });
    const columns = `("effect", "createdAt") values ('${effect}', '2026-01-01T00:00:00.000Z')`;
    await sql(server, `insert into outbox ${columns}`);
    await expect.poll(() => listed(identityId)).toEqual([]);
    await expect.poll(() => sql(server, 'select id from outbox')).toEqual([]);
    expect(await status(token)).toBe(401);
  });
});
