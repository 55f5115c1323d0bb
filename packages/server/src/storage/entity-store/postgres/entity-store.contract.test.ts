import { expect, inject, it } from 'vitest';
import { freshDatabase } from '../../../../test/support/postgres.ts';
import { describeEntityStore } from '../entity-store.contract.ts';
import { describeSlowLists } from '../slow-lists.contract.ts';
import { describeTransactions } from '../transactions.contract.ts';
import { openPostgresEntityStore } from './entity-store.ts';

const open = async () => {
  const url = await freshDatabase(inject('postgresUrl'));
  const reopen = () => openPostgresEntityStore({ url });
  const store = await reopen();
  return { store, reopen, [Symbol.asyncDispose]: () => store.close() };
};

describeEntityStore('PostgreSQL', open);
describeTransactions('PostgreSQL', open);
describeSlowLists('PostgreSQL', open);

it('creates one schema when several replicas start on an empty database at the same time', async () => {
  const url = await freshDatabase(inject('postgresUrl'));
  const stores = await Promise.all(Array.from({ length: 4 }, () => openPostgresEntityStore({ url })));
  const policies = await stores[0]!.db.selectFrom('authPolicies').select('id').execute();
  expect(policies).toEqual([{ id: 'default' }]);
  await Promise.all(stores.map((store) => store.close()));
});

it('throws an error with the address of PostgreSQL when it cannot connect, without the password', async () => {
  const error = await openPostgresEntityStore({ url: 'postgres://u:secret@127.0.0.1:1/x' }).catch((reason) => reason);
  expect(String(error)).toMatch(/PostgreSQL at 127\.0\.0\.1:1 cannot be used/);
  expect(String(error)).not.toContain('secret');
});

it('fails with STORE_UNAVAILABLE when a statement takes too long, and works afterwards', async () => {
  const store = await openPostgresEntityStore({ url: await freshDatabase(inject('postgresUrl')) });
  const { sql } = await import('kysely');
  const slow = sql`select pg_sleep(5)`.execute(store.db);
  await expect(slow).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryAfter: 1 });
  expect(await store.db.selectFrom('identities').selectAll().execute()).toEqual([]);
  await store.close();
});
