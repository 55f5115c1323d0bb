import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { useSlowHashes } from '../support/hash-cost.ts';

const password = 'a password of a user';

async function pending(server: TestController, token: string, name: string, enrollment: object = { updb: name }) {
  const created = await server.wire('POST', '/edge/management/v1/identities', {
    token,
    body: { name, type: 'User', isAdmin: false, enrollment },
  });
  expect(created.status).toBe(201);
  const detail = await server.wire('GET', `/edge/management/v1/identities/${created.body.data.id}`, { token });
  return detail.body.data;
}

const enroll = (server: TestController, query: string, body?: object) =>
  server.wire('POST', `/edge/client/v1/enroll?${query}`, body ? { body } : {});

describe.each(storePairs)('enrollment on $stores', ({ open }) => {
  it('of method updb is redeemed exactly once by 100 parallel attempts', async () => {
    useSlowHashes();
    await using server = await startController(await open());
    const token = await server.signIn();
    const { enrollment, id } = await pending(server, token, 'parallel');
    const attempts = await Promise.all(
      Array.from({ length: 100 }, () => enroll(server, `method=updb&token=${enrollment.updb.token}`, { password })),
    );
    expect(attempts.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of attempts.filter((attempt) => attempt.status !== 200)) {
      expect(status).toBe(400);
      expect(['INVALID_ENROLLMENT_TOKEN', 'COULD_NOT_VALIDATE']).toContain(body.error.code);
    }
    const detail = (await server.wire('GET', `/edge/management/v1/identities/${id}`, { token })).body.data;
    expect(detail.enrollment).toEqual({});
    expect(detail.authenticators.updb.username).toBe('parallel');
    await server.signIn({ username: 'parallel', password });
  });

  it('carries a JWT for the client and stays when its redemption is refused', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const { enrollment, id } = await pending(server, token, 'careful');
    const [header, claims] = enrollment.updb.jwt
      .split('.')
      .slice(0, 2)
      .map((part: string) => JSON.parse(Buffer.from(part, 'base64url').toString()));
    expect(header).toMatchObject({ alg: 'ES256', typ: 'JWT' });
    expect(header.kid).toMatch(/^[0-9a-f]{40}$/);
    expect(claims).toMatchObject({
      iss: server.url,
      sub: id,
      aud: [''],
      em: 'updb',
      jti: enrollment.updb.token,
      exp: Math.floor(Date.parse(enrollment.updb.expiresAt) / 1_000),
    });
    const own = enrollment.updb.token;
    const cases = [
      ['method=updb', { password }, 'INVALID_ENROLLMENT_TOKEN'],
      ['method=updb&token=nonsense', { password }, 'COULD_NOT_VALIDATE'],
      ['method=updb&token=00000000-0000-4000-8000-000000000000', { password }, 'INVALID_ENROLLMENT_TOKEN'],
      [`method=ott&token=${own}`, { password }, 'INVALID_ENROLL_METHOD'],
      [`token=${own}`, { password: '1234' }, 'COULD_NOT_VALIDATE'],
      [`token=${own}`, {}, 'COULD_NOT_VALIDATE'],
      [`token=${own}`, undefined, 'COULD_NOT_VALIDATE'],
    ] as const;
    for (const [query, body, code] of cases) {
      const answer = await enroll(server, query, body);
      expect([answer.status, answer.body.error.code], query).toEqual([400, code]);
    }
    const redeemed = await enroll(server, `token=${own}`, { password, username: 'ignored' });
    expect([redeemed.status, redeemed.body]).toEqual([200, { data: { username: 'careful' }, meta: {} }]);
    const used = await enroll(server, `token=${own}`, { password });
    expect([used.status, used.body.error.code]).toEqual([400, 'INVALID_ENROLLMENT_TOKEN']);
  });

  it('reads a missing body as an empty object, refuses an array, and responds with JSON alone', async () => {
    await using server = await startController(await open());
    const { enrollment } = await pending(server, await server.signIn(), 'careful');
    const outcome = async (path: string, raw?: string, headers: Record<string, string> = {}) => {
      const { status, body } = await server.wire('POST', path, { ...(raw !== undefined && { raw }), headers });
      return [status, body.error.code, body.error.cause?.field];
    };
    const query = `token=${enrollment.updb.token}`;
    for (const path of [`/enroll?${query}`, `/enroll/updb?${query}`]) {
      for (const empty of [undefined, '', '{}', 'null']) {
        expect(await outcome(path, empty), path).toEqual([400, 'COULD_NOT_VALIDATE', 'password']);
      }
      expect(await outcome(path, '[]'), path).toEqual([400, 'COULD_NOT_PARSE_BODY', undefined]);
    }
    expect(await outcome('/enroll/token')).toEqual([400, 'INVALID_ENROLLMENT_TOKEN', undefined]);
    for (const type of ['application/json', 'application/x-pem-file', 'text/plain']) {
      for (const accept of ['text/html', 'application/x-pem-file']) {
        const headers = { 'content-type': type, accept };
        expect(await outcome(`/enroll?${query}`, '{}', headers)).toEqual([406, 'COULD_NOT_VALIDATE', 'Accept']);
      }
      const both = { 'content-type': type, accept: 'application/x-pem-file, */*' };
      expect(await outcome(`/enroll?${query}`, '{}', both)).toEqual([400, 'COULD_NOT_VALIDATE', 'password']);
    }
  });

  it('of method updb has a path of its own, which needs the token', async () => {
    await using server = await startController(await open());
    const { enrollment } = await pending(server, await server.signIn(), 'on-its-own');
    const redeem = (query: string) =>
      server.wire('POST', `/edge/client/v1/enroll/updb${query}`, { body: { password } });
    for (const query of ['', '?token=', '?method=updb']) {
      const { status, body } = await redeem(query);
      const cause = { field: 'token', reason: 'token in query is required' };
      expect([status, body.error.code, body.error.cause], query).toEqual([400, 'COULD_NOT_VALIDATE', cause]);
    }
    const redeemed = await redeem(`?token=${enrollment.updb.token}`);
    expect([redeemed.status, redeemed.body]).toEqual([200, { data: { username: 'on-its-own' }, meta: {} }]);
  });

  it('for a user name that is taken is refused and stays', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const first = await pending(server, token, 'first-of-two', { updb: 'shared-name' });
    const second = await pending(server, token, 'second-of-two', { updb: 'shared-name' });
    expect((await enroll(server, `token=${first.enrollment.updb.token}`, { password })).status).toBe(200);
    const taken = await enroll(server, `token=${second.enrollment.updb.token}`, { password });
    expect([taken.status, taken.body.error.cause.field]).toEqual([400, 'username']);
    const left = (await server.wire('GET', `/edge/management/v1/identities/${second.id}`, { token })).body.data;
    expect(left.enrollment.updb.token).toBe(second.enrollment.updb.token);
  });

  it('expires', async () => {
    await using server = await startController({ ...(await open()), enrollmentDuration: 1_000 });
    const token = await server.signIn();
    const { enrollment } = await pending(server, token, 'too-late');
    await sleep(1_050);
    const late = await enroll(server, `method=updb&token=${enrollment.updb.token}`, { password });
    expect([late.status, late.body.error.code]).toEqual([400, 'ENROLLMENT_EXPIRED']);
  });

  it('of method ott is stored and shown; of several members one counts', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const { enrollment } = await pending(server, token, 'with-certificate', { ott: true, updb: 'ignored' });
    expect(Object.keys(enrollment)).toEqual(['ott']);
    const answer = await enroll(server, `method=ott&token=${enrollment.ott.token}`, {});
    expect([answer.status, answer.body.error.code]).toEqual([400, 'COULD_NOT_PROCESS_CSR']);
    expect((await pending(server, token, 'without', { ott: false })).enrollment).toEqual({});
  });
});
