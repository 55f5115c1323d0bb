import { createEdgeClient } from '@edge-controller/sdk/node';
import { describe, expect, it } from 'vitest';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';

describe.each(storePairs)('the current identity on $stores', ({ open }) => {
  it('is the detail of the caller on both APIs, and its meta is null', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    const user = await server.addUser(admin);
    const token = await server.signIn(user);
    const { _links, ...detail } = (
      await server.wire('GET', `/edge/management/v1/identities/${user.id}`, { token: admin })
    ).body.data;
    const links = { self: { href: './current-identity' }, mfa: { href: './current-identity/mfa' } };
    for (const base of ['/edge/client/v1', '/edge/management/v1']) {
      const { status, body } = await server.wire('GET', `${base}/current-identity`, { token });
      expect([status, body]).toEqual([200, { data: { ...detail, _links: links }, meta: null }]);
    }
  });

  it('keeps the tags of its authenticator when PUT sends none, on both APIs', async () => {
    await using server = await startController(await open());
    const admin = await server.signIn();
    const { username, password } = await server.addUser(admin);
    const token = await server.signIn({ username, password });
    const listed = await server.wire('GET', '/edge/client/v1/current-identity/authenticators', { token });
    const { id } = listed.body.data[0];
    const authenticator = `/edge/management/v1/authenticators/${id}`;
    const tags = { team: 'red', none: null };
    expect((await server.wire('PATCH', authenticator, { token: admin, body: { tags } })).status).toBe(200);
    for (const base of ['/edge/client/v1', '/edge/management/v1']) {
      const put = async (sent: object) => {
        const body = { username, password, currentPassword: password, ...sent };
        const path = `${base}/current-identity/authenticators/${id}`;
        expect((await server.wire('PUT', path, { token, body })).status).toBe(200);
        return (await server.wire('GET', authenticator, { token: admin })).body.data.tags;
      };
      expect(await put({})).toEqual(tags);
      expect(await put({ tags: null })).toEqual(tags);
      for (const sent of [{ team: 'blue' }, { none: null }, {}, tags]) expect(await put({ tags: sent })).toEqual(sent);
    }
  });

  it('is read by the SDK', async () => {
    await using server = await startController(await open());
    const edge = createEdgeClient(server.url, { caFile: server.caFile });
    await edge.signIn.password(adminCredentials);
    expect(await edge.client.currentIdentity.get()).toMatchObject({ isAdmin: true });
    expect(await edge.management.currentIdentity.get()).toMatchObject({ isAdmin: true });
  });
});
