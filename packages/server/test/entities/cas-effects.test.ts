import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { everyStorePair, sharedStores, startController } from '../support/controller.ts';
import { enrollments, identities, inAnHour, pending } from '../support/enrollments.ts';
import { addCa, caBody, cas } from '../support/registered-cas.ts';
import { sql } from '../support/sql.ts';
import { createTestCa } from '../support/test-ca.ts';

describe.each(everyStorePair)('a change of a CA on $stores', ({ open }) => {
  let server: TestController;
  let token: string;
  beforeAll(async () => {
    server = await startController(await open());
    token = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const remove = (id: string) => server.wire('DELETE', `${cas}/${id}`, { token });

  it('raises the version of its sign-ins only when it takes them away', async () => {
    const id = await addCa(server, token, { isAuthEnabled: true });
    const versionAfter = async (method: 'PUT' | 'PATCH', body: object) => {
      const answer = await server.wire(method, `${cas}/${id}`, { token, body });
      expect(answer.status, answer.text).toBe(200);
      const [row] = await sql(server, `select "authVersion" from cas where id = '${id}'`);
      return row?.authVersion;
    };
    const { certPem: _, ...body } = caBody(createTestCa(), { identityNameFormat: '' });
    expect(await versionAfter('PATCH', { tags: { a: 1 }, isOttCaEnrollmentEnabled: true })).toBe(0);
    expect(await versionAfter('PATCH', { isAuthEnabled: true })).toBe(0);
    expect(await versionAfter('PATCH', { isAuthEnabled: false })).toBe(1);
    expect(await versionAfter('PATCH', { isAuthEnabled: false })).toBe(1);
    expect(await versionAfter('PATCH', { isAuthEnabled: true })).toBe(1);
    expect(await versionAfter('PUT', { ...body, isAuthEnabled: true, authVersion: 0 })).toBe(1);
    expect(await versionAfter('PUT', { ...body, isAuthEnabled: false })).toBe(2);
  });

  it('deletes its enrollments and their tokens with it; lists and identities stay', async () => {
    const [id, other] = [await addCa(server, token), await addCa(server, token)];
    const [first, second] = [
      await pending(server, token, 'first', { ottca: id }),
      await pending(server, token, 'second', { ottca: other }),
    ];
    const body = { method: 'updb', identityId: first.identityId, username: 'first', expiresAt: inAnHour() };
    const kept = (await server.wire('POST', enrollments, { token, body })).body.data.id;
    expect((await remove(id)).status).toBe(200);
    const list = (await server.wire('GET', enrollments, { token })).body.data;
    expect(list.map((one: { id: string }) => one.id).toSorted()).toEqual([second.id, kept].toSorted());
    const rows = await sql(server, 'select "enrollmentId" from "enrollmentTokens"');
    expect(rows.map(({ enrollmentId }) => enrollmentId)).not.toContain(first.id);
    const gone = await server.wire('POST', `/edge/client/v1/enroll?token=${first.token}`, { body: {} });
    expect([gone.status, gone.body.error.code]).toEqual([400, 'INVALID_ENROLLMENT_TOKEN']);
    const refresh = { token, body: { expiresAt: inAnHour() } };
    expect((await server.wire('POST', `${enrollments}/${first.id}/refresh`, refresh)).status).toBe(404);
    const identity = (await server.wire('GET', `${identities}/${first.identityId}`, { token })).body.data;
    expect(Object.keys(identity.enrollment)).toEqual(['updb']);
    const people = (await server.wire('GET', identities, { token })).body.data;
    const ca = people.find(({ id: one }: { id: string }) => one === second.identityId).enrollment.ottca;
    expect(ca).toMatchObject({ caId: other, ca: { id: other, entity: 'cas' } });
  });

  it('does not block or break what happens to its enrollments at the same time', async () => {
    const body = (name: string, caId: string) => ({ name, type: 'User', isAdmin: false, enrollment: { ottca: caId } });
    for (let round = 0; round < 5; round += 1) {
      const id = await addCa(server, token);
      const made = await Promise.all(
        [0, 1, 2, 3].map((at) => pending(server, token, `${round} before ${at}`, { ottca: id })),
      );
      const refresh = { token, body: { expiresAt: inAnHour() } };
      const again = { method: 'ottca', caId: id, expiresAt: inAnHour() };
      const answers = await Promise.all([
        ...made.map((one) => server.wire('POST', `${enrollments}/${one.id}/refresh`, refresh)),
        ...made.map(({ identityId }) => server.wire('POST', enrollments, { token, body: { ...again, identityId } })),
        remove(id),
        server.wire('DELETE', `${identities}/${made[0]?.identityId}`, { token }),
        ...[0, 1, 2, 3].map((at) =>
          server.wire('POST', identities, { token, body: body(`${round} during ${at}`, id) }),
        ),
      ]);
      expect(answers.filter(({ status }) => ![200, 201, 400, 404, 409].includes(status))).toEqual([]);
      const left = await sql(server, `select id from enrollments where "caId" = '${id}'`);
      expect(left).toEqual([]);
    }
  });
});

// SQLite has one writer, so nothing waits there.
it('the deletion of a CA waits for a redemption that is under way, with PostgreSQL', async () => {
  const { open } = sharedStores;
  await using server = await startController(await open());
  const token = await server.signIn();
  const id = await addCa(server, token);
  const made = await pending(server, token, 'redeeming', { ottca: id });
  const client = new pg.Client({ connectionString: server.options.databaseUrl ?? '' });
  await client.connect();
  try {
    await client.query('begin');
    await client.query('select id from identities where id = $1 for update', [made.identityId]);
    await client.query('delete from "enrollmentTokens" where "enrollmentId" = $1', [made.id]);
    const removing = server.wire('DELETE', `${cas}/${id}`, { token });
    const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
    await vi.waitFor(async () => expect(await sql(server, waiting)).toHaveLength(1));
    await client.query('delete from enrollments where id = $1', [made.id]);
    await client.query('commit');
    expect((await removing).status).toBe(200);
  } finally {
    await client.end();
  }
});
