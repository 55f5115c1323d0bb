import { describe, expect, it, vi } from 'vitest';
import { entriesOf, verified } from '../support/audit.ts';
import { startController, storePairs } from '../support/controller.ts';

const sessions = '/edge/management/v1/api-sessions';
const read = 'event = "apiSession.tokensRead"';
const used = 'event = "apiSession.tokenUsed"';

describe.each(storePairs)('tokens of API sessions, on $stores', ({ open }) => {
  it('are an entry when an administrator reads them: one for a session, one with the number for a list', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    const adminId = (await server.wire('GET', '/edge/client/v1/current-identity', { token: admin })).body.data.id;
    const users = await Promise.all([1, 2, 3].map(() => server.addUser(admin)));
    const tokens = await Promise.all(users.map((user) => server.signIn(user)));
    const seen = vi.fn();
    server.controller.events.on('apiSession.tokensRead', seen);

    const list = (await server.wire('GET', `${sessions}?limit=100`, { token: admin })).body.data;
    const shown = list.map(({ token }: { token: string }) => token);
    expect(shown).toEqual(expect.arrayContaining(tokens));
    const { id } = list.find(({ token }: { token: string }) => token === tokens[0]);
    await server.wire('GET', `${sessions}/${id}`, { token: admin });
    const found = await entriesOf(server, admin, read);
    expect(found).toMatchObject([
      { identityId: adminId, entityType: null, entityId: null, details: { tokens: 3 }, outcome: 'success' },
      { identityId: adminId, entityType: 'apiSession', entityId: id, details: { tokens: 1 }, ipAddress: '127.0.0.1' },
    ]);
    expect(seen.mock.calls.flat()).toEqual([
      { by: adminId, apiSessionId: null, tokens: 3 },
      { by: adminId, apiSessionId: id, tokens: 1 },
    ]);
    for (const token of [...tokens, admin]) expect(JSON.stringify(found)).not.toContain(token);
  });

  it('are none when nobody sees a token of another one', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    const own = (await server.wire('GET', '/edge/client/v1/current-api-session', { token: admin })).body.data.id;
    const user = await server.addUser(admin);
    const body = { permissions: ['admin_readonly'] };
    await server.wire('PATCH', `/edge/management/v1/identities/${user.id}`, { token: admin, body });
    const reader = await server.signIn(user);
    await server.wire('GET', `${sessions}/${own}`, { token: admin });
    const list = (await server.wire('GET', sessions, { token: reader })).body.data;
    expect(list.map(({ token }: { token: string }) => token)).toEqual(['', '']);
    expect(await entriesOf(server, admin, read)).toEqual([]);
  });

  it('that an administrator has read are an entry when they come from another network than their owner', async () => {
    const first = await startController({ ...(await open()), trustedProxies: ['127.0.0.1'] });
    const admin = await first.signIn();
    const adminId = (await first.wire('GET', '/edge/client/v1/current-identity', { token: admin })).body.data.id;
    const user = await first.addUser(admin);
    const [home, sameNetwork, elsewhere, third] = ['2001:db8:1:2::1', '2001:db8:1:2::9', '198.51.100.7', '203.0.113.9'];
    const from = (address = '') => ({ headers: { 'x-forwarded-for': address } });
    const body = { username: user.username, password: user.password };
    const path = '/edge/client/v1/authenticate?method=password';
    const { id, token } = (await first.wire('POST', path, { body, ...from(home) })).body.data;
    const act = async (server: typeof first, address?: string) => {
      const answer = await server.wire('GET', '/edge/client/v1/current-identity', { token, ...from(address) });
      expect(answer.status).toBe(200);
    };
    // Nobody else has it yet.
    await act(first, third);
    await first.wire('GET', `${sessions}/${id}`, { token: admin });
    for (const address of [home, sameNetwork]) await act(first, address);
    expect(await entriesOf(first, admin, used)).toEqual([]);
    for (const address of [elsewhere, elsewhere, home, elsewhere]) await act(first, address);
    const found = await entriesOf(first, admin, used);
    const entry = { identityId: user.id, entityType: 'apiSession', entityId: id, details: { readBy: adminId } };
    expect(found).toMatchObject([{ ...entry, ipAddress: elsewhere, outcome: 'success' }]);
    expect(found[0]?.details).toEqual({ readBy: adminId });
    for (const secret of [token, admin]) expect(JSON.stringify(found)).not.toContain(secret);
    await first.controller.close();

    await using server = await startController(first.options);
    await act(server, third);
    const after = await entriesOf(server, await server.signIn(), used);
    expect(after.map(({ ipAddress }) => ipAddress).toSorted()).toEqual([elsewhere, third]);
  });

  it('are no such entry for the owner of several sessions who reads the own ones', async () => {
    await using server = await startController({ ...(await open()), trustedProxies: ['127.0.0.1'] });
    const [one, other] = [await server.signIn(), await server.signIn()];
    await server.wire('GET', sessions, { token: one });
    const headers = { 'x-forwarded-for': '198.51.100.7' };
    await server.wire('GET', '/edge/client/v1/current-identity', { token: other, headers });
    expect(await entriesOf(server, one, used)).toEqual([]);
  });

  it('fill nothing when a page reads them again and again', async () => {
    const first = await startController(await open());
    const admin = await first.signIn();
    await first.signIn(await first.addUser(admin));
    for (let at = 0; at < 40; at++) await first.wire('GET', sessions, { token: admin });
    expect(await entriesOf(first, admin, read)).toHaveLength(1);
    await first.controller.close();
    await using server = await startController(first.options);
    const found = await entriesOf(server, await server.signIn(), read);
    expect(found.map(({ details }) => details.count)).toEqual([undefined, 39]);
    expect(await verified(server.options)).toMatchObject({ findings: [] });
  });
});
