import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createRedisClient } from '../../src/storage/database/redis/clients.ts';
import { startController } from '../support/controller.ts';
import { createNetwork } from '../support/network.ts';
import { startPrivateRedis } from '../support/redis.ts';

/** The commands that docs/operations.md names. */
function documentedCommands(): string[] {
  const text = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8');
  const [, list = ''] = /An ACL needs these commands on the keys `edge:\*`:([^.]*); and/s.exec(text) ?? [];
  return Array.from(list.matchAll(/`([A-Z]+)`/g), ([, command = '']) => command);
}

/** Those that it names for edge routers. */
function commandsForRouters(): string[] {
  const text = readFileSync(new URL('../../../../docs/operations.md', import.meta.url), 'utf8');
  const [, list = ''] = /it also needs the channels `edge:\*`, and ([^.]*)\./s.exec(text) ?? [];
  return Array.from(list.matchAll(/`([A-Z]+)`/g), ([, command = '']) => command);
}

const cases = [
  { what: 'a controller', commands: documentedCommands(), channels: [], options: {} },
  {
    what: 'a controller with edge routers',
    commands: [...documentedCommands(), ...commandsForRouters()],
    channels: ['&edge:*'],
    options: { routersBind: '127.0.0.1:0' },
  },
];

/** Does what time does to sessions that nobody uses. */
async function expireSessions(admin: ReturnType<typeof createRedisClient>): Promise<void> {
  const members = await admin.zRange('edge:expiry', 0, -1);
  expect(members.length).toBeGreaterThan(0);
  await admin.del(members.map((member) => `edge:{${member.split(' ')[1]}}`));
  await admin.zAdd(
    'edge:expiry',
    members.map((value) => ({ score: 1, value })),
  );
}

it.each(cases)(
  'the documentation names all Redis commands that $what needs',
  async ({ commands, channels, options }) => {
    await using redis = await startPrivateRedis();
    const admin = await createRedisClient({ url: redis.url }).connect();
    expect(commands.length).toBeGreaterThan(20);
    const rights = [
      'resetkeys',
      '~edge:*',
      'resetchannels',
      ...channels,
      '-@all',
      ...commands.map((name) => `+${name}`),
    ];
    await admin.sendCommand(['ACL', 'SETUSER', 'edge', 'on', '>secret', ...rights]);
    const url = redis.url.replace('redis://', 'redis://edge:secret@');
    await using server = await startController({ redisUrl: url, signInRate: 5, ...options });
    const network = await createNetwork(server);
    const user = await network.addUser();
    const serviceId = await network.addService();
    const checkId = await network.addCheck({ typeId: 'DOMAIN', domains: ['office'] });
    const policy = { identityRoles: [`@${user.id}`], postureCheckRoles: [`@${checkId}`] };
    const policyId = await network.addPolicy(policy);
    expect((await network.as(user, 'POST', '/sessions', { serviceId })).status).toBe(409);
    await network.as(user, 'POST', '/posture-response', { id: checkId, typeId: 'DOMAIN', domain: 'office' });
    expect((await network.as(user, 'POST', '/sessions', { serviceId })).status).toBe(201);
    expect((await network.as(user, 'GET', '/current-api-session/service-updates')).status).toBe(200);
    for (const path of ['/sessions', '/sessions?sort=createdAt', '/api-sessions', '/api-sessions?sort=ipAddress']) {
      expect((await network.send('GET', path)).length).toBeGreaterThan(0);
    }
    await network.send('DELETE', `/service-policies/${policyId}`);
    expect((await network.as(user, 'GET', '/sessions')).body.data).toEqual([]);
    await network.send('POST', `/identities/${user.id}/disable`, { durationMinutes: 0 });
    await expireSessions(admin);
    await expect.poll(() => admin.exists(['edge:expiry', 'edge:expired'])).toBe(0);
    expect(await admin.sendCommand(['ACL', 'LOG'])).toEqual([]);
    await admin.close();
  },
);
