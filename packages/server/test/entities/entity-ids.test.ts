import { describe, expect, it } from 'vitest';
import { addPolicy } from '../support/auth-policies.ts';
import { startController, storePairs } from '../support/controller.ts';
import { enrollments, identities, pending, redeem } from '../support/enrollments.ts';

const short = /^[0-9A-Za-z.-]{10}$/;
const base62 = /^[0-9A-Za-z]{20,22}$/;

describe.each(storePairs)('ids on $stores', ({ open }) => {
  it('are short for identities and for what comes with them, and a UUID in base 62 for others', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const enrollment = await pending(server, token, 'somebody');
    expect(enrollment.identityId).toMatch(short);
    expect(enrollment.id).toMatch(short);
    expect((await redeem(server, enrollment.token)).status).toBe(200);
    const shown = async (id: string) => (await server.wire('GET', `${identities}/${id}`, { token })).body.data;
    expect((await shown(enrollment.identityId)).authenticators.updb.id).toMatch(short);
    const { data: admins } = (await server.wire('GET', `${identities}?filter=isDefaultAdmin%3Dtrue`, { token })).body;
    expect([admins[0].id, admins[0].authenticators.updb.id]).toEqual([
      expect.stringMatching(short),
      expect.stringMatching(short),
    ]);

    expect(await addPolicy(server, token, { name: 'a policy' })).toMatch(base62);
    const { identityId, id } = await pending(server, token, 'another', { ott: true });
    expect((await server.wire('DELETE', `${enrollments}/${id}`, { token })).status).toBe(200);
    const body = { method: 'updb', identityId, username: 'another', password: 'a long password' };
    const created = await server.wire('POST', '/edge/management/v1/authenticators', { token, body });
    expect(created.body.data.id).toMatch(base62);
  });
});
