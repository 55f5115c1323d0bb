import { describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController, storePairs } from '../support/controller.ts';
import { useSlowHashes } from '../support/hash-cost.ts';
import { sql } from '../support/sql.ts';

/** Of the password of the administrator, with other parameters than new hashes have. */
const older = '$argon2id$v=19$m=2048,p=1,t=1$MIMJ7ZO5u4oqyzInOnkoOg$9GhHjquiI0RFwqWyVo0Yw/t2k4GIEZcLv6LG/y50o/o';
const signInPath = '/edge/client/v1/authenticate?method=password';

async function storedHash(server: TestController): Promise<string> {
  const [row] = await sql(server, 'select "hash" from "passwords"');
  return String(row?.hash);
}

const makeOlder = (server: TestController) => sql(server, `update "passwords" set "hash" = '${older}'`);

describe.each(storePairs)('a hash with other parameters than new ones, on $stores', ({ open }) => {
  it('is made again at the next sign-in, and at no other', async () => {
    await using server = await startController(await open());
    await makeOlder(server);
    const wrong = { ...adminCredentials, password: 'a wrong password' };
    expect((await server.wire('POST', signInPath, { body: wrong })).status).toBe(401);
    expect(await storedHash(server)).toBe(older);
    await server.signIn();
    const renewed = await storedHash(server);
    expect(renewed.startsWith('$argon2id$v=19$m=1024,')).toBe(true);
    await server.signIn();
    expect(await storedHash(server)).toBe(renewed);
    expect((await server.wire('POST', signInPath, { body: wrong })).status).toBe(401);
  });

  it('is made again beside other sign-ins, none of which is refused', async () => {
    await using server = await startController(await open());
    await makeOlder(server);
    useSlowHashes();
    const all = Array.from({ length: 8 }, () => server.wire('POST', signInPath, { body: adminCredentials }));
    expect((await Promise.all(all)).map(({ status }) => status)).toEqual(all.map(() => 200));
    expect((await storedHash(server)).startsWith('$argon2id$v=19$m=1024,')).toBe(true);
  });

  it('never undoes a change of the password meanwhile', async () => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const next = 'another horse battery';
    const list = (await server.wire('GET', '/edge/management/v1/authenticators', { token })).body.data;
    const path = `/edge/management/v1/authenticators/${list[0].id}`;
    await makeOlder(server);
    useSlowHashes();
    const body = { username: adminCredentials.username, password: next };
    const [changed] = await Promise.all([
      server.wire('PUT', path, { token, body }),
      ...Array.from({ length: 8 }, () => server.wire('POST', signInPath, { body: adminCredentials })),
    ]);
    expect(changed.status).toBe(200);
    const status = async (password: string) =>
      (await server.wire('POST', signInPath, { body: { ...adminCredentials, password } })).status;
    expect([await status(next), await status(adminCredentials.password)]).toEqual([200, 401]);
  });
});
