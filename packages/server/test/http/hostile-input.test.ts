import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { startController, storePairs } from '../support/controller.ts';
import { useSlowHashes } from '../support/hash-cost.ts';

const identities = '/edge/management/v1/identities';
const authenticate = '/edge/client/v1/authenticate?method=password';

describe.each(storePairs)('hostile input on $stores', ({ open }) => {
  it('a NUL character is refused and never reaches a store', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const signIn = await server.wire('POST', authenticate, {
      body: { username: 'abcd\0', password: 'a long password' },
    });
    expect([signIn.status, signIn.body.error.code]).toEqual([400, 'COULD_NOT_PARSE_BODY']);
    const created = await server.wire('POST', identities, {
      token,
      body: { name: 'a\0b', type: 'User', isAdmin: false },
    });
    expect([created.status, created.body.error.code]).toEqual([400, 'COULD_NOT_PARSE_BODY']);
    expect((await server.wire('GET', `${identities}/%00`, { token })).status).toBe(404);
  });

  it('names, external ids and user names that no index can store are refused by field', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const base = { name: 'long', type: 'User', isAdmin: false };
    const long = Array.from({ length: 700 }, (_, at) => createHash('sha256').update(String(at)).digest('hex')).join('');
    const cases = [
      [{ ...base, name: long }, 'name'],
      [{ ...base, externalId: long }, 'externalId'],
      [{ ...base, enrollment: { updb: long } }, 'enrollment.updb'],
      [{ ...base, enrollment: { updb: 'abc' } }, 'enrollment.updb'],
    ] as const;
    for (const [body, field] of cases) {
      const answer = await server.wire('POST', identities, { token, body });
      expect([answer.status, answer.body.error.cause.field]).toEqual([400, field]);
      expect(answer.text.length).toBeLessThan(2_000);
    }
    const policy = await server.wire('POST', identities, {
      token,
      body: { ...base, authPolicyId: 'x'.repeat(900_000) },
    });
    expect(policy.status).toBe(404);
    expect(policy.text.length).toBeLessThan(2_000);
  });

  it('a password shorter than the default policy asks for is refused at enrollment', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const created = await server.wire('POST', identities, {
      token,
      body: { name: 'short', type: 'User', isAdmin: false, enrollment: { updb: 'short' } },
    });
    const { data } = (await server.wire('GET', `${identities}/${created.body.data.id}`, { token })).body;
    const answer = await server.wire('POST', `/edge/client/v1/enroll?token=${data.enrollment.updb.token}`, {
      body: { password: 'abcdef7' },
    });
    expect([answer.status, answer.body.error.cause.field]).toEqual([400, 'password']);
    expect(answer.text).not.toContain('abcdef7');
  });

  it('redemption and deletion of one identity never block each other', async () => {
    useSlowHashes();
    await using server = await startController(await open());
    const token = await server.signIn();
    for (let round = 0; round < 30; round += 1) {
      const name = `contended-${round}`;
      const created = await server.wire('POST', identities, {
        token,
        body: { name, type: 'User', isAdmin: false, enrollment: { updb: name } },
      });
      const { id } = created.body.data;
      const { data } = (await server.wire('GET', `${identities}/${id}`, { token })).body;
      const redemption = server.wire('POST', `/edge/client/v1/enroll?token=${data.enrollment.updb.token}`, {
        body: { password: 'a password of a user' },
      });
      await new Promise((resolve) => setTimeout(resolve, round % 3 === 0 ? 0 : 14));
      const deletion = await server.wire('DELETE', `${identities}/${id}`, { token });
      expect(deletion.status).toBe(200);
      expect([200, 400]).toContain((await redemption).status);
    }
  });

  it('a controller with another seal key does not start', async () => {
    await using first = await startController({ ...(await open()), sealKey: Buffer.alloc(32, 1) });
    await first.controller.close();
    await expect(startController({ ...first.options, sealKey: Buffer.alloc(32, 2) })).rejects.toThrow('seals tokens');
    await using again = await startController(first.options);
    await again.signIn();
  });
});
