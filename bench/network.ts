import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { openOldDatabase } from '../packages/server/test/support/old-database.ts';
import { freshDatabase, startTestPostgres } from '../packages/server/test/support/postgres.ts';
import { call } from './call.ts';
import type { Membership } from './membership-data.ts';
import { membership, rolesRows } from './membership-data.ts';
import type { Processes } from './processes.ts';
import { createProcesses } from './processes.ts';
import type { Server } from './servers.ts';
import { startController } from './servers.ts';

/** A controller with the identities, services and policies of a large network. */
export interface Network extends Server {
  /** An identity that the policies give services, and a session of it. */
  readonly user: { readonly id: string; readonly token: string };
  /** Signs the identity in again. Returns the token. */
  signIn(): Promise<string>;
  /** The ids of all services. */
  readonly services: readonly string[];
}

interface Row {
  readonly [column: string]: string | number | null;
}
type Insert = (table: string, rows: readonly Row[]) => Promise<void>;

const api = '/edge/management/v1';
const client = '/edge/client/v1';
const user = { username: 'user of the network', password: 'a password of the user' };

/**
 * Runs `measure` with a network on SQLite, then with one on PostgreSQL and Redis.
 *
 * @param policies how many of the policies it has. Default: all 1,000
 */
export async function onBothStores(
  processes: Processes,
  measure: (stores: string, start: (policies?: number) => Promise<Network>) => Promise<void>,
): Promise<void> {
  await measure('SQLite', async (policies) => {
    const name = `network-${randomUUID()}`;
    const server = await startController(processes, { name });
    return fillNetwork(server, { dataDir: join(processes.directory, name) }, policies);
  });
  const postgres = await startTestPostgres();
  try {
    // They end before PostgreSQL does.
    await using controllers = createProcesses();
    await measure('PostgreSQL', async (policies) => {
      const database = await freshDatabase(postgres.url);
      const redis = await controllers.startRedis();
      const server = await startController(controllers, { name: `network-${randomUUID()}`, redis, database });
      return fillNetwork(server, { databaseUrl: database }, policies);
    });
  } finally {
    await postgres.stop();
  }
}

async function fillNetwork(
  server: Server,
  place: { readonly dataDir?: string; readonly databaseUrl?: string },
  policies = 1_000,
): Promise<Network> {
  const own = await addUser(server);
  await using database = await openOldDatabase(place);
  const insert: Insert = async (table, rows) => {
    const size = 1_000;
    for (let at = 0; at < rows.length; at += size) await database.insert(table, ...rows.slice(at, at + size));
  };
  const all = membership();
  const data = { ...all, policies: all.policies.slice(0, policies) };
  const [like] = await database.query(`select * from "identities" where "id" = '${own.id}'`);
  await insertEntities(insert, data, like ?? {});
  await insertPolicies(insert, data);
  await database.query(
    `insert into "identities_roleAttributes" ("ownerId", "value")
      select '${own.id}', "value" from "identities_roleAttributes" where "ownerId" = '${data.identities[1_234]?.id}'`,
  );
  await database.query('analyze');
  // SQLite kept this process busy: now it hears of the connections that the controller has closed meanwhile.
  await sleep(100);
  const signIn = async () => (await post(server, `${client}/authenticate?method=password`, user)).token;
  return { ...server, user: own, signIn, services: data.services.map(({ id }) => id) };
}

async function insertEntities(insert: Insert, { identities, services }: Membership, like: Row): Promise<void> {
  const { createdAt = '', updatedAt = '', tags = '' } = like;
  const base = { createdAt, updatedAt, tags };
  await insert(
    'identities',
    identities.map(({ id }) => ({ ...like, id, name: `identity ${id}` })),
  );
  const service = { ...base, encryptionRequired: 1, terminatorStrategy: 'smartrouting', maxIdleTimeMillis: 0 };
  await insert(
    'services',
    services.map(({ id }) => ({ ...service, id, name: `service ${id}` })),
  );
  for (const [table, rows] of Object.entries({ identities, services })) {
    const attributes = rows.flatMap(({ id, held }) => held.map((value) => ({ ownerId: id, value })));
    await insert(`${table}_roleAttributes`, attributes);
  }
}

/** As the migration that brings audiences does it: each policy has one of its own. */
async function insertPolicies(insert: Insert, { policies }: Membership): Promise<void> {
  const now = new Date().toISOString();
  const base = { createdAt: now, updatedAt: now, tags: '{}' };
  await insert(
    'servicePolicies',
    policies.map(({ id, type, semantic }) => ({ ...base, id, name: `policy ${id}`, type, semantic })),
  );
  const rowsOf = (field: 'identityRoles' | 'serviceRoles') =>
    rolesRows(policies, field).map(([ownerId, value, need]) => ({ ownerId, value, need }));
  await insert('servicePolicies_identityRoles', rowsOf('identityRoles'));
  await insert('servicePolicies_serviceRoles', rowsOf('serviceRoles'));
  await insert(
    'audiences',
    policies.map(({ id }) => ({ id, lastChangeAt: 0 })),
  );
  await insert('audiences_roles', rowsOf('identityRoles'));
  await insert(
    'policyAudiences',
    policies.map(({ id }) => ({ policyId: id, audienceId: id })),
  );
}

/** Creates an identity with a password, and signs it in. */
async function addUser(server: Server): Promise<Network['user']> {
  const { url, token } = server;
  const { username, password } = user;
  const identity = { name: username, type: 'User', isAdmin: false, enrollment: { updb: username } };
  const { id } = await post(server, `${api}/identities`, identity, token);
  const { enrollment } = JSON.parse((await call(`${url}${api}/identities/${id}`, { token })).text).data;
  await post(server, `${client}/enroll?method=updb&token=${enrollment.updb.token}`, { password });
  return { id, token: (await post(server, `${client}/authenticate?method=password`, user)).token };
}

/** Returns the data of the response. */
export async function post({ url }: Server, path: string, body: object, token?: string) {
  return JSON.parse((await call(url + path, { body: JSON.stringify(body), ...(token && { token }) })).text).data;
}
