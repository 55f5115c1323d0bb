import { setTimeout as sleep } from 'node:timers/promises';
import { createRedisClient } from '../../src/storage/database/redis/clients.ts';
import type { TestController } from './controller.ts';
import { startController } from './controller.ts';
import { startFaultProxy } from './fault-proxy.ts';
import { freshDatabase } from './postgres.ts';
import type { PrivateRedis } from './redis.ts';
import { startPrivateRedis } from './redis.ts';

const identities = '/edge/management/v1/identities';
const own = '/edge/client/v1/current-api-session';

interface User {
  readonly id: string;
  readonly username: string;
  readonly password: string;
}

interface Scene {
  readonly server: TestController;
  readonly admin: string;
}

/** How an API session is ended. */
const ends: Readonly<Record<string, (scene: Scene, user: User, token: string) => Promise<void>>> = {
  'sign-out': async ({ server }, _user, token) => expectOk(await server.wire('DELETE', own, { token })),

  async 'removal by an administrator'({ server, admin }, { id }) {
    const filter = encodeURIComponent(`identity = "${id}"`);
    const { body } = await server.wire('GET', `/edge/management/v1/api-sessions?filter=${filter}`, { token: admin });
    for (const session of body.data) {
      expectOk(await server.wire('DELETE', `/edge/management/v1/api-sessions/${session.id}`, { token: admin }));
    }
  },

  async 'reset of the password'({ server, admin }, user) {
    const path = `/edge/management/v1/authenticators/${await authenticatorOf({ server, admin }, user)}`;
    expectOk(await server.wire('PATCH', path, { token: admin, body: { password: 'another password of a user' } }));
  },

  async 'deletion of the authenticator'({ server, admin }, user) {
    const path = `/edge/management/v1/authenticators/${await authenticatorOf({ server, admin }, user)}`;
    expectOk(await server.wire('DELETE', path, { token: admin }));
  },

  async 'disabling and enabling'({ server, admin }, { id }) {
    const body = { durationMinutes: 0 };
    expectOk(await server.wire('POST', `${identities}/${id}/disable`, { token: admin, body }));
    expectOk(await server.wire('POST', `${identities}/${id}/enable`, { token: admin, body: {} }));
  },
};

async function authenticatorOf({ server, admin }: Scene, { id }: User): Promise<string> {
  const { body } = await server.wire('GET', `${identities}/${id}`, { token: admin });
  return body.data.authenticators.updb.id;
}

function expectOk({ status, text }: { status: number; text: string }): void {
  if (status !== 200) throw new Error(`status ${status}: ${text}`);
}

/** What became of the API sessions that ended in one way. Each was presented to both controllers. */
export interface Outcome {
  readonly end: string;
  readonly ended: number;
  readonly accepted: number;
}

/**
 * Two controllers use a Redis with a replica. The replica misses all ends of API sessions and becomes the primary. Returns
 * how many of the ended sessions were accepted afterwards, and whether a session that has not ended lives on.
 */
export async function failOver(postgresUrl: string, count: number): Promise<{ outcomes: Outcome[]; lives: boolean }> {
  await using primary = await startPrivateRedis();
  await using replica = await startPrivateRedis();
  await using proxy = await startFaultProxy(primary.port);
  const options = {
    databaseUrl: await freshDatabase(postgresUrl),
    redisUrl: `redis://127.0.0.1:${proxy.port}`,
    sealKey: Buffer.alloc(32, 7),
  };
  await using first = await startController(options);
  await using second = await startController(options);
  const scene = { server: first, admin: await first.signIn() };
  const kept = await first.signIn(await first.addUser(scene.admin));
  const sessions: { end: string; user: User; token: string }[] = [];
  for (const end of Object.keys(ends)) {
    for (let at = 0; at < count; at += 1) {
      const user = await first.addUser(scene.admin);
      sessions.push({ end, user, token: await second.signIn(user) });
    }
  }
  const statuses = (token: string) => statusesOf([first, second], token);
  // Both controllers have every identity in their caches.
  for (const { token } of sessions) await statuses(token);

  await becomeReplica(replica, primary);
  for (const { end, user, token } of sessions) await ends[end]?.(scene, user, token);
  const alive = await Promise.all(sessions.map(({ token }) => statuses(token)));
  if (alive.flat().some((status) => status !== 401)) throw new Error('a session works before the fail-over');

  proxy.switchTarget(replica.port);
  proxy.reset();
  const outcomes = new Map(Object.keys(ends).map((end) => [end, { end, ended: 0, accepted: 0 }]));
  for (const { end, token } of sessions) {
    const outcome = outcomes.get(end);
    if (!outcome) continue;
    outcome.ended += 1;
    if ((await statuses(token)).some((status) => status !== 401)) outcome.accepted += 1;
  }
  return { outcomes: [...outcomes.values()], lives: (await statuses(kept)).every((status) => status === 200) };
}

/** Copies the data of the primary, and then misses all changes. */
export async function becomeReplica(replica: PrivateRedis, primary: PrivateRedis): Promise<void> {
  const client = await createRedisClient({ url: replica.url }).connect();
  await client.sendCommand(['REPLICAOF', '127.0.0.1', String(primary.port)]);
  while (!(await client.info('replication')).includes('master_link_status:up')) await sleep(20);
  await client.sendCommand(['REPLICAOF', 'NO', 'ONE']);
  await client.close();
}

/** The first responses that are not 503. */
async function statusesOf(servers: readonly TestController[], token: string): Promise<number[]> {
  return Promise.all(
    servers.map(async ({ wire }) => {
      for (;;) {
        const { status } = await wire('GET', own, { token });
        if (status !== 503) return status;
        await sleep(10);
      }
    }),
  );
}
