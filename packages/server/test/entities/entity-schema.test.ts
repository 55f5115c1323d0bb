import { sql } from 'kysely';
import { describe, expect, inject, it } from 'vitest';
import { definitions } from '../../src/entities/index.ts';
import { entityStores } from '../support/databases.ts';
import { disagreements } from '../support/schema.ts';

// Their details show the id alone, and no reference. The indexes of the identities that have rights and of instance ids are of no field.
const notDescribed = [
  'enrollments.caId -> cas cascade',
  'enrollments.index caId',
  'externalJwtSigners.enrollAuthPolicyId -> authPolicies restrict',
  'externalJwtSigners.index enrollAuthPolicyId',
  'identities.index id',
  'terminators.index identity serviceId',
].map((line) => `${line} is described nowhere`);

describe.each(entityStores)('the tables on $database', ({ openStore }) => {
  it('are what the contracts and definitions of the entities say', async () => {
    await using opened = await openStore(inject('postgresUrl'));
    const { store } = opened;
    expect((await disagreements(store, definitions)).sort()).toEqual(notDescribed);
  });

  it('differ when a column, an index or a foreign key is missing or too much', async () => {
    await using opened = await openStore(inject('postgresUrl'));
    const { store } = opened;
    await sql`alter table "identities" drop column "appData"`.execute(store.db);
    await sql`alter table "authPolicies" add column "extra" integer`.execute(store.db);
    await sql`drop index "authenticators_username_unique"`.execute(store.db);
    await sql`drop table "identities_roleAttributes"`.execute(store.db);
    await sql`create table "identities_roleAttributes" ("ownerId" text not null, "value" text)`.execute(store.db);
    const found = await disagreements(store, definitions);
    expect(found).toEqual(
      expect.arrayContaining([
        'identities.appData: text not null is missing',
        'authPolicies.extra: integer is described nowhere',
        'authenticators.unique username is missing',
        'identities_roleAttributes.ownerId -> identities cascade is missing',
        'identities_roleAttributes.key value ownerId is missing',
      ]),
    );
  });
});
