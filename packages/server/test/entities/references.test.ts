import { describe, expect, it } from 'vitest';
import { addPolicy, authPolicies } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { everyStorePair, startController } from '../support/controller.ts';
import { identities } from '../support/enrollments.ts';
import { sql } from '../support/sql.ts';

async function addIdentity({ wire }: TestController, token: string, name: string): Promise<string> {
  const created = await wire('POST', identities, { token, body: { name, type: 'User', isAdmin: false } });
  expect(created.status, created.text).toBe(201);
  return created.body.data.id;
}

const identitiesWithoutPolicy = (server: TestController) =>
  sql(server, 'select name from identities where "authPolicyId" not in (select id from "authPolicies")');

describe.each(everyStorePair)('references on $stores', ({ open }) => {
  it('to an unknown auth policy are refused by every verb; null and an empty id are the policy `default`', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const one = `${identities}/${await addIdentity(server, token, 'somebody')}`;
    const policy = await addPolicy(server, token, { name: 'a policy' });
    const body = { name: 'somebody', type: 'User', isAdmin: false };
    const read = async () => (await server.wire('GET', one, { token })).body.data;
    const requests = [
      ['POST', identities],
      ['PUT', one],
      ['PATCH', one],
    ] as const;
    for (const [method, path] of requests) {
      const sent = { ...body, name: 'other', authPolicyId: 'unknown' };
      const refused = await server.wire(method, path, { token, body: sent });
      expect([refused.status, refused.body.error.code, refused.body.error.cause.message]).toEqual([
        ...[404, 'NOT_FOUND', 'authPolicy with id unknown not found'],
      ]);
    }
    expect(await read()).toMatchObject({ name: 'somebody', authPolicyId: 'default' });
    const patch = async (authPolicyId: string | null) => {
      expect((await server.wire('PATCH', one, { token, body: { authPolicyId } })).status).toBe(200);
      return (await read()).authPolicyId;
    };
    expect([await patch(policy), await patch(null), await patch('')]).toEqual([policy, policy, 'default']);
    for (const authPolicyId of [null, '', undefined]) {
      await patch(policy);
      const replaced = await server.wire('PUT', one, { token, body: { ...body, authPolicyId } });
      expect([replaced.status, (await read()).authPolicyId]).toEqual([200, 'default']);
    }
  });

  it('stay whole while many identities take a policy that many requests delete', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const ids = [await addIdentity(server, token, 'put'), await addIdentity(server, token, 'patched')];
    const [put, patched] = ids.map((id) => `${identities}/${id}`) as [string, string];
    for (let round = 0; round < 8; round += 1) {
      const authPolicyId = await addPolicy(server, token, { name: `contested ${round}` });
      const body = { type: 'User', isAdmin: false, authPolicyId };
      const remove = () => server.wire('DELETE', `${authPolicies}/${authPolicyId}`, { token });
      const create = (name: string) => server.wire('POST', identities, { token, body: { ...body, name } });
      const [deletions, takers] = await Promise.all([
        Promise.all([remove(), remove(), remove()]),
        Promise.all([
          create(`${round} a`),
          create(`${round} b`),
          server.wire('PATCH', patched, { token, body: { authPolicyId } }),
          server.wire('PUT', put, { token, body: { ...body, name: 'put' } }),
          create(`${round} c`),
        ]),
      ]);
      const wins = deletions.filter(({ status }) => status === 200).length;
      const takes = takers.filter(({ status }) => status < 300).length;
      expect(wins === 0 ? takes > 0 : wins === 1 && takes === 0, `${wins} deletions, ${takes} takers`).toBe(true);
      for (const { status, text } of deletions) expect([200, 404, 409], text).toContain(status);
      for (const { status, text } of takers) expect([200, 201, 404], text).toContain(status);
      expect(await identitiesWithoutPolicy(server)).toEqual([]);
      for (const one of [put, patched]) {
        expect((await server.wire('PATCH', one, { token, body: { authPolicyId: 'default' } })).status).toBe(200);
      }
    }
  });
});
