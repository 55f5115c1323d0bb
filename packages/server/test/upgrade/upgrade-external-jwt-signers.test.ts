import { expect, it } from 'vitest';
import { startController } from '../support/controller.ts';
import { addSigner, signersPath } from '../support/external-jwt-signers.ts';
import { openOldDatabase } from '../support/old-database.ts';
import { openSignerSession, openStoresBeside } from '../support/signer-sessions.ts';
import { sql } from '../support/sql.ts';
import { emptyPlace, makeOldDatabase, places } from '../support/version-2.ts';

const management = '/edge/management/v1';

it.each(places)(
  'a database of the version before external JWT signers can do all that a new one can, on $stores',
  async ({ open }) => {
    const options = await emptyPlace(open);
    await makeOldDatabase(options, Date.now());
    {
      await using old = await openOldDatabase(options, '0009-certificates');
      const rows = await old.query('select "identityId", "authenticatorId" from credentials');
      expect(rows.length).toBeGreaterThan(5);
    }
    await using server = await startController(options);
    const token = await server.signIn();
    const call = (method: string, path: string, body?: object) =>
      server.wire(method, management + path, { token, ...(body && { body }) });

    // Version 2 did not check the signers of a policy. Those that were there before may stay, and go.
    const strict = '/auth-policies/strict';
    expect((await call('PATCH', strict, { tags: { a: 1 } })).status).toBe(200);
    expect((await call('GET', strict)).body.data).toMatchObject({
      primary: { extJwt: { allowed: true, allowedSigners: ['signer a', 'signer b'] } },
      secondary: { requireExtJwtSigner: 'signer a' },
    });
    const id = await addSigner(server, token, { enrollAuthPolicyId: 'strict', enrollToTokenEnabled: true });
    const named = { primary: { extJwt: { allowedSigners: ['signer b', id] } }, secondary: { requireExtJwtSigner: id } };
    expect((await call('PATCH', strict, named)).status).toBe(200);
    const back = await call('PATCH', strict, { secondary: { requireExtJwtSigner: 'signer a' } });
    expect(back.status).toBe(404);
    const refused = await server.wire('DELETE', `${signersPath}/${id}`, { token });
    expect([refused.status, refused.body.error.cause.field]).toEqual([409, 'primary.extJwt.allowedSigners']);
    const free = { primary: { extJwt: { allowedSigners: [] } }, secondary: { requireExtJwtSigner: '' } };
    expect((await call('PATCH', strict, free)).status).toBe(200);

    const stores = await openStoresBeside(server);
    const session = await openSignerSession(stores, { identityId: 'gina', signerId: id });
    await stores.close();
    const own = () => server.wire('GET', '/edge/client/v1/current-api-session', { token: session });
    expect((await own()).body.data).toMatchObject({ identityId: 'gina' });
    expect((await server.wire('DELETE', `${signersPath}/${id}`, { token })).status).toBe(200);
    expect((await own()).status).toBe(401);
    const left = () => sql(server, `select 1 from credentials where "authenticatorId" = 'extJwtId:${id}'`);
    await expect.poll(left).toEqual([]);
  },
);
