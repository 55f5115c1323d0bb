import { expect, it } from 'vitest';
import { startController } from '../support/controller.ts';
import { inAnHour } from '../support/enrollments.ts';
import { openOldDatabase } from '../support/old-database.ts';
import { routerCsrs } from '../support/routers.ts';
import { emptyPlace, token as enrollmentToken, makeOldDatabase, places } from '../support/version-2.ts';

const management = '/edge/management/v1';

it.each(places)(
  'a database of the version before routers keeps its enrollments and takes those of routers, on $stores',
  async ({ open }) => {
    const options = await emptyPlace(open);
    await makeOldDatabase(options, Date.now());
    await using server = await startController(options);
    const token = await server.signIn();
    const call = (method: string, path: string, body?: object) =>
      server.wire(method, management + path, { token, ...(body && { body }) });
    const [kept] = (await call('GET', '/identities/fred/enrollments')).body.data;
    expect(kept).toMatchObject({
      identityId: 'fred',
      identity: { id: 'fred' },
      method: 'updb',
      token: enrollmentToken,
    });
    // One enrollment of a method for each identity, as before.
    const again = { method: 'updb', identityId: 'fred', username: 'other', expiresAt: inAnHour() };
    expect((await call('POST', '/enrollments', again)).body.error.code).toBe('ENROLLMENT_EXISTS');
    const { id } = (await call('POST', '/edge-routers', { name: 'new' })).body.data;
    const router = (await call('GET', `/edge-routers/${id}`)).body.data;
    expect((await call('GET', '/enrollments')).body.data).toHaveLength(2);
    const path = `/edge/client/v1/enroll?token=${router.enrollmentToken}`;
    expect((await server.wire('POST', path, { body: routerCsrs(id) })).status).toBe(200);
    expect((await call('DELETE', '/identities/fred')).status).toBe(200);
    expect((await call('GET', '/enrollments')).body.data).toEqual([]);
    await using database = await openOldDatabase(options);
    expect(await database.query('select * from "enrollmentTokens"')).toEqual([]);
  },
);
