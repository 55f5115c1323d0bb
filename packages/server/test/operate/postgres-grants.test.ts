import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import pg from 'pg';
import { expect, inject, it, onTestFinished } from 'vitest';
import { adminCredentials, startController } from '../support/controller.ts';
import { maintain } from '../support/maintenance.ts';
import { migratedDatabase } from '../support/migrated-database.ts';
import { createNetwork } from '../support/network.ts';
import { freshRedis } from '../support/redis.ts';

/** The statements that docs/operations.md has for the user of the controllers. */
function documentedStatements(names: Readonly<Record<'database' | 'role', string>>): string {
  const text = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8');
  const [, statements = ''] = /```sql\n(create role edge_controller .*?)```/s.exec(text) ?? [];
  expect(statements.split('\n').length).toBeGreaterThan(6);
  return statements
    .replaceAll('edge_controller', names.role)
    .replace('database edge ', `database ${names.database} `)
    .replace('a password of its own', 'secret');
}

/** Runs the statements as the owner of the database, and returns the URL of the new user. */
async function grantAsDocumented(owned: string): Promise<string> {
  const role = `edge_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(owned);
  const owner = new pg.Client({ connectionString: owned });
  await owner.connect();
  onTestFinished(async () => {
    await owner.query(`drop owned by ${role}; drop role ${role}`);
    await owner.end();
  });
  await owner.query(documentedStatements({ database: url.pathname.slice(1), role }));
  url.username = role;
  url.password = 'secret';
  return url.href;
}

it('controllers need no more rights in PostgreSQL than the documentation says, and cannot change the schema with them', async () => {
  const databaseUrl = await grantAsDocumented(await migratedDatabase());
  const redisUrl = await freshRedis(inject('redisUrl'));
  await using server = await startController({ databaseUrl, redisUrl });
  const network = await createNetwork(server);
  const user = await network.addUser(['staff']);
  const serviceId = await network.addService(['intranet']);
  const policyId = await network.addPolicy({ identityRoles: ['#staff'], serviceRoles: ['#intranet'] });
  expect((await network.as(user, 'POST', '/sessions', { serviceId })).status).toBe(201);
  expect((await network.as(user, 'POST', '/current-identity/mfa', {})).status).toBe(201);
  await network.send('DELETE', `/service-policies/${policyId}`);
  await network.send('POST', `/identities/${user.id}/disable`, { durationMinutes: 0 });
  await network.send('DELETE', `/identities/${user.id}`);
  const wrong = { username: adminCredentials.username, password: 'nobody has this one' };
  const refused = await server.wire('POST', '/edge/client/v1/authenticate?method=password', { body: wrong });
  expect(refused.status).toBe(401);
  expect((await network.send('GET', '/audit-log')).length).toBeGreaterThan(5);

  expect(await maintain(server.options, 'audit', 'verify')).toMatchObject({ code: 0 });
  expect(await maintain(server.options, 'migrate', 'status')).toMatchObject({ code: 0 });
  expect(await maintain(server.options, 'migrate')).toMatchObject({ code: 0 });
  const controller = new pg.Client({ connectionString: databaseUrl });
  await controller.connect();
  onTestFinished(() => controller.end());
  for (const change of [
    'create table extra (id int)',
    'drop table identities',
    'alter table identities add extra int',
  ]) {
    await expect(controller.query(change)).rejects.toThrow(/permission denied|must be owner/);
  }
});
