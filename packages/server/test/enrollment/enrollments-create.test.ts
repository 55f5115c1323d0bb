import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { enrollments, identities, inAnHour, password, pending, redeem } from '../support/enrollments.ts';
import { addCa } from '../support/registered-cas.ts';

let names = 0;

describe.each(storePairs)('an enrollment by request on $stores', ({ open }) => {
  let server: TestController;
  let token: string;
  beforeAll(async () => {
    server = await startController(await open());
    token = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const create = (body: object) => server.wire('POST', enrollments, { token, body });
  const read = async (id: string) => (await server.wire('GET', `${enrollments}/${id}`, { token })).body.data;
  const addIdentity = async (): Promise<string> => {
    names += 1;
    const body = { name: `identity ${names}`, type: 'User', isAdmin: false };
    return (await server.wire('POST', identities, { token, body })).body.data.id;
  };

  it('is created for each method, once per method', async () => {
    const identityId = await addIdentity();
    const caId = await addCa(server, token);
    const expiresAt = inAnHour();
    const bodies = {
      ott: { method: 'ott', identityId, expiresAt },
      ottca: { method: 'ottca', identityId, expiresAt, caId },
      updb: { method: 'updb', identityId, expiresAt, username: `user ${identityId}` },
    };
    for (const [method, body] of Object.entries(bodies)) {
      const created = await create(body);
      expect(created.status, created.text).toBe(201);
      const { id } = created.body.data;
      expect(created.body.data).toEqual({ id, _links: { self: { href: `./enrollments/${id}` } } });
      expect(id).toMatch(/^[0-9A-Za-z]{22}$/);
      const data = await read(id);
      expect(data).toMatchObject({ ...body, token: expect.stringMatching(/^[0-9a-f-]{36}$/), jwt: expect.any(String) });
      expect(['caId' in data, 'username' in data]).toEqual([method === 'ottca', method === 'updb']);
      const again = await create(body);
      expect([again.status, again.body.error.code, again.body.error.cause]).toEqual([
        ...[409, 'ENROLLMENT_EXISTS'],
        { field: 'method', reason: 'enrollment of same method exists', value: method },
      ]);
    }
    const { enrollment } = (await server.wire('GET', `${identities}/${identityId}`, { token })).body.data;
    expect(Object.keys(enrollment).sort()).toEqual(['ott', 'ottca', 'updb']);
    expect((await redeem(server, enrollment.updb.token)).status).toBe(200);
    await server.signIn({ username: bodies.updb.username, password });
    // The identity has a credential now, and may get another enrollment.
    expect((await create(bodies.updb)).status).toBe(201);
  });

  it('has no CA and no user name of another method', async () => {
    const identityId = await addIdentity();
    const created = await create({ method: 'ott', identityId, expiresAt: inAnHour(), caId: 'x', username: 'y' });
    expect(created.status).toBe(201);
    const data = await read(created.body.data.id);
    expect(['caId' in data, 'username' in data]).toEqual([false, false]);
  });

  it('is refused in the order of the wire', async () => {
    const identityId = await addIdentity();
    const past = new Date(Date.now() - 1_000).toISOString();
    const refusal = async (body: object) => {
      const { status, body: answer } = await create(body);
      const { code, cause } = answer.error;
      return [status, code, cause.field ?? cause.message];
    };
    const text = (value: string, field: string, reason: string) => [
      ...[400, 'INVALID_FIELD'],
      `the value '${value}' for '${field}' is invalid: ${reason}`,
    ];
    const good = { method: 'ottca', identityId, expiresAt: inAnHour() };
    for (const name of ['method', 'identityId', 'expiresAt']) {
      for (const value of [undefined, null]) {
        expect(await refusal({ ...good, [name]: value })).toEqual([400, 'COULD_NOT_VALIDATE', name]);
      }
    }
    expect(await refusal({ ...good, method: 'token' })).toEqual([400, 'COULD_NOT_VALIDATE', 'method']);
    for (const expiresAt of ['tomorrow', '', '2099-02-30T00:00:00Z', 5]) {
      const answer = await refusal({ ...good, identityId: 'nobody', expiresAt });
      expect(answer.slice(0, 2), String(expiresAt)).toEqual([400, 'COULD_NOT_PARSE_BODY']);
    }
    const unknown = { ...good, expiresAt: past };
    expect(await refusal({ ...unknown, identityId: 'nobody' })).toEqual(
      text('nobody', 'identityId', 'identity not found'),
    );
    expect(await refusal({ ...unknown, identityId: '' })).toEqual(text('', 'identityId', 'identity not found'));
    expect(await refusal(unknown)).toEqual(text(past, 'expiresAt', 'expiresAt must be in the future'));
    expect(await refusal(good)).toEqual(text('', 'caId', 'ca not found'));
    expect(await refusal({ ...good, caId: 'nothing' })).toEqual(text('nothing', 'caId', 'ca not found'));
    for (const username of [undefined, null, '']) {
      const answer = await refusal({ ...good, method: 'updb', username });
      expect(answer).toEqual(text('', 'username', 'username not provided'));
    }
    for (const username of ['abc', 'x'.repeat(101)]) {
      // Nobody could sign in with it.
      const answer = await refusal({ ...good, method: 'updb', username });
      expect(answer).toEqual([400, 'COULD_NOT_VALIDATE', 'username']);
    }
    const { data } = (await server.wire('GET', `${identities}/${identityId}/enrollments`, { token })).body;
    expect(data).toEqual([]);
  });

  it('may have an expiry without a zone, which is UTC, or with another zone', async () => {
    const day = new Date(Date.now() + 2 * 86_400_000).toISOString().slice(0, 10);
    const forms = {
      [`${day}T02:00:00+02:00`]: `${day}T00:00:00.000Z`,
      [`${day}T00:00:00`]: `${day}T00:00:00.000Z`,
    };
    for (const [expiresAt, shown] of Object.entries(forms)) {
      const created = await create({ method: 'ott', identityId: await addIdentity(), expiresAt });
      expect((await read(created.body.data.id)).expiresAt).toBe(shown);
    }
  });

  it('is created by one of 20 requests at once', async () => {
    const body = { method: 'ott', identityId: await addIdentity(), expiresAt: inAnHour() };
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(body)));
    const codes = answers.map(({ status, body: answer }) => answer.error?.code ?? status);
    expect(codes.toSorted()).toEqual([201, ...Array.from({ length: 19 }, () => 'ENROLLMENT_EXISTS')]);
  });

  it('of a new identity needs a CA that exists; without it nothing is created', async () => {
    const body = { name: 'nobody', type: 'User', isAdmin: false, enrollment: { ottca: 'nothing' } };
    const refused = await server.wire('POST', identities, { token, body });
    expect([refused.status, refused.body.error.code, refused.body.error.cause]).toEqual([
      ...[404, 'NOT_FOUND'],
      { field: 'caId', reason: 'ca not found', value: 'nothing' },
    ]);
    const found = await server.wire('GET', `${identities}?filter=name%20%3D%20%22nobody%22`, { token });
    expect(found.body.data).toEqual([]);
    const caId = await addCa(server, token);
    const made = await pending(server, token, 'somebody', { ottca: caId });
    expect(await read(made.id)).toMatchObject({ method: 'ottca', caId, identityId: made.identityId });
  });

  it('is for administrators', async () => {
    const own = await server.signIn(await server.addUser(token));
    const body = { method: 'ott', identityId: await addIdentity(), expiresAt: inAnHour() };
    for (const session of [{ token: own }, {}]) {
      expect((await server.wire('POST', enrollments, { ...session, body })).status).toBe(401);
    }
  });
});
