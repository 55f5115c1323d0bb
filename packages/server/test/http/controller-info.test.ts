import { createEdgeClient } from '@edge-controller/sdk/node';
import { jwtVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { startController, storePairs } from '../support/controller.ts';
import { shownCertificate } from '../support/shown-certificate.ts';

describe.each(storePairs)('what a controller says about itself on $stores', ({ open }) => {
  it('is a JWT of the network, signed with the key that TLS shows, for anybody on both APIs and at the root', async () => {
    await using server = await startController(await open());
    const edge = createEdgeClient(server.url, { caFile: server.caFile });
    const shown = await shownCertificate(server.url);
    const { data, meta } = await edge.client.networkJwts.list();
    expect(meta).toEqual({});
    expect(data).toEqual([{ name: 'default', token: expect.any(String) }]);
    const { payload, protectedHeader } = await jwtVerify(data[0]?.token ?? '', shown.publicKey);
    const kid = shown.fingerprint.replaceAll(':', '').toLowerCase();
    expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'JWT', kid });
    const iss = `${server.url}/`;
    const jti = expect.stringMatching(/^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/);
    expect(payload).toEqual({ iss, sub: iss, aud: ['openziti-enroller'], em: 'network', jti, ctrls: null });
    expect((await edge.management.networkJwts.list()).data).toEqual(data);
    expect((await server.wire('GET', '/network-jwts')).body).toEqual({ data, meta: {} });
  });

  it('are its protocols, its features and the other controllers, of which it has none', async () => {
    await using server = await startController(await open());
    const edge = createEdgeClient(server.url, { caFile: server.caFile });
    expect(await edge.client.protocols.get()).toEqual({ https: { address: new URL(server.url).host } });
    expect((await server.wire('GET', '/edge/management/v1/protocols')).status).toBe(404);
    for (const api of [edge.client, edge.management]) {
      const { data, meta } = await api.enumeratedCapabilities.list();
      expect([data, meta]).toEqual([['OIDC_AUTH', 'HA_CONTROLLER'], {}]);
    }
    const token = await server.signIn(await server.addUser(await server.signIn()));
    for (const path of ['/edge/client/v1/controllers', '/edge/management/v1/controllers']) {
      expect((await server.wire('GET', path)).status).toBe(401);
      const { status, body } = await server.wire('GET', `${path}?limit=5&offset=2&filter=isOnline = true`, { token });
      expect(status).toBe(200);
      expect(body).toMatchObject({ data: [], meta: { pagination: { limit: 5, offset: 2, totalCount: 0 } } });
      expect(body.meta.filterableFields).toEqual(expect.arrayContaining(['id', 'name', 'fingerprint', 'isOnline']));
      const refused = await server.wire('GET', `${path}?filter=nope = 1`, { token });
      expect([refused.status, refused.body.error.code]).toEqual([400, 'INVALID_FILTER']);
    }
  });
});

it('the address that clients know is in the protocols and in the JWT of the network', async () => {
  await using server = await startController({ address: 'edge.example.com:8443' });
  const edge = createEdgeClient(server.url, { caFile: server.caFile });
  expect(await edge.client.protocols.get()).toEqual({ https: { address: 'edge.example.com:8443' } });
  const { data } = await edge.client.networkJwts.list();
  const claims = JSON.parse(Buffer.from(data[0]?.token.split('.')[1] ?? '', 'base64url').toString());
  expect(claims.iss).toBe('https://edge.example.com:8443/');
});
