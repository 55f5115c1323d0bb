import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addPolicy, authPolicies, policyRules } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { everyStorePair, startController } from '../support/controller.ts';
import { identities } from '../support/enrollments.ts';
import { addSigner, signersPath } from '../support/external-jwt-signers.ts';
import { addCa, cas } from '../support/registered-cas.ts';

/** In UTF-16 the last two are in the other order. */
const sorted = ['#', 'A', 'a', 'ab', 'b', 'ä', '\uff5e', '\u{1f600}'].map((text) => `x${text}`);
const sent = [...sorted.toReversed(), ...sorted];

describe.each(everyStorePair)('sets are sorted by their bytes, without repeats, on $stores', ({ open }) => {
  let server: TestController;
  let admin: string;

  beforeAll(async () => {
    server = await startController(await open());
    admin = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const read = async (path: string) => (await server.wire('GET', path, { token: admin })).body.data;
  const change = async (method: string, path: string, body: object) => {
    const { status, text } = await server.wire(method, path, { token: admin, body });
    expect(status, text).toBe(200);
    return read(path);
  };

  it('role attributes of identities', async () => {
    const body = { name: 'somebody', type: 'User', isAdmin: false, roleAttributes: sent };
    const { id } = (await server.wire('POST', identities, { token: admin, body })).body.data;
    expect((await read(`${identities}/${id}`)).roleAttributes).toEqual(sorted);
  });

  it('identityRoles of CAs', async () => {
    const path = `${cas}/${await addCa(server, admin, { identityRoles: sent })}`;
    const { name, ...created } = await read(path);
    expect(created.identityRoles).toEqual(sorted);
    expect((await change('PATCH', path, { identityRoles: ['b', 'a', 'b'] })).identityRoles).toEqual(['a', 'b']);
    const flags = { isAutoCaEnrollmentEnabled: false, isOttCaEnrollmentEnabled: false, isAuthEnabled: false };
    const body = { name, ...flags, identityNameFormat: '', identityRoles: sent };
    expect((await change('PUT', path, body)).identityRoles).toEqual(sorted);
  });

  it('scopes of external JWT signers, also in the public list', async () => {
    const id = await addSigner(server, admin, { scopes: sent });
    const path = `${signersPath}/${id}`;
    expect((await read(path)).scopes).toEqual(sorted);
    expect((await change('PATCH', path, { scopes: ['openid', 'email', 'openid'] })).scopes).toEqual([
      'email',
      'openid',
    ]);
    const shown = await read(`/edge/client/v1/external-jwt-signers?filter=${encodeURIComponent(`id = "${id}"`)}`);
    expect(shown).toMatchObject([{ scopes: ['email', 'openid'] }]);
  });

  it('allowedSigners of auth policies', async () => {
    const ids = [await addSigner(server, admin), await addSigner(server, admin), await addSigner(server, admin)];
    const inOrder = ids.toSorted();
    const extJwt = { allowed: true, allowedSigners: [...inOrder.toReversed(), ...ids] };
    const primary = { ...policyRules.primary, extJwt };
    const path = `${authPolicies}/${await addPolicy(server, admin, { name: 'three signers', primary })}`;
    expect((await read(path)).primary.extJwt.allowedSigners).toEqual(inOrder);
    const [first, second] = inOrder;
    const fewer = { primary: { extJwt: { allowedSigners: [second, first, second] } } };
    expect((await change('PATCH', path, fewer)).primary.extJwt.allowedSigners).toEqual([first, second]);
    const name = 'an unknown signer';
    const unknown = {
      ...policyRules,
      name,
      primary: { ...primary, extJwt: { allowed: true, allowedSigners: [first, '-'] } },
    };
    const { status, body } = await server.wire('POST', authPolicies, { token: admin, body: unknown });
    expect([status, body.error.cause.field]).toEqual([404, 'primary.extJwt.allowedExtJwtSigners[1]']);
  });
});
