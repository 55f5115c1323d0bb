import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFailed } from 'vitest';
import type { PrivateRedis } from '../../packages/server/test/support/redis.ts';
import { startPrivateRedis } from '../../packages/server/test/support/redis.ts';
import { Member } from './support/crowd.ts';
import type { Network } from './support/network.ts';
import { startNetwork } from './support/network.ts';
import { nodeClient } from './support/node-clients.ts';

/** A long run: `EDGE_INTEROP_KILLS=30 npm run interop -- kills`. */
const kills = Number(process.env.EDGE_INTEROP_KILLS ?? 9);
const members = 6;
/** Milliseconds. */
const perKill = 60_000;
const [shortest, longest] = [200, 2_000];
/** From the start of what was killed: a router takes its time until it connects again. */
const recoveryTime = 45_000;

let redis: PrivateRedis;
let network: Network;
const crowd: Member[] = [];

beforeAll(async () => {
  redis = await startPrivateRedis();
  network = await startNetwork({ routers: 2, env: { EDGE_REDIS_URL: redis.url } });
  const host = await nodeClient(await network.addIdentity('host', ['hosts']), network.controller.url);
  for (let number = 0; number < members; number += 1) {
    const member = new Member(network, host, { name: `member ${number}`, routerRole: 'any' });
    crowd.push(member);
    await member.addService();
    await member.addIdentity();
    await member.connect(recoveryTime);
  }
}, 120_000);
beforeEach(() => onTestFailed(() => console.error(network.logs())));
afterAll(async () => {
  for (const member of crowd) await member.close();
  await network[Symbol.asyncDispose]();
  await redis[Symbol.asyncDispose]();
});

/** What is killed. `start` resolves when it has begun to start. */
function targets() {
  const { controller } = network;
  const router = network.router(1 + Math.floor(Math.random() * 2));
  return [
    { what: 'controller', kill: () => controller.stop('SIGKILL'), start: () => controller.start() },
    { what: 'router', kill: () => router.stop('SIGKILL'), start: async () => router.start() },
    // It keeps nothing: all API sessions are lost.
    { what: 'Redis', kill: () => redis.stop('SIGKILL'), start: () => redis.start() },
  ] as const;
}

/** Ways to take the right to dial from a member, and to give it back. */
function losses() {
  const { identities, servicePolicies } = network.edge.management;
  return [
    {
      take: ({ service }: Member) => servicePolicies.patch(service.dialPolicyId, { identityRoles: [] }),
      giveBack: ({ service, roleAttributes: [role] }: Member) =>
        servicePolicies.patch(service.dialPolicyId, { identityRoles: [`#${role}`] }),
    },
    {
      take: ({ identity }: Member) => identities.patch(identity.id, { roleAttributes: [] }),
      giveBack: ({ identity, roleAttributes }: Member) => identities.patch(identity.id, { roleAttributes }),
    },
    {
      take: ({ identity }: Member) => identities.disable(identity.id, { durationMinutes: 0 }),
      giveBack: ({ identity }: Member) => identities.enable(identity.id),
    },
  ];
}

async function canDial(member: Member): Promise<boolean> {
  const connection = await member.dial();
  connection?.on('error', () => undefined).destroy();
  return connection !== null;
}

/** Dials again and again until `isOver`. Returns how often that has worked. */
async function dialUntil(member: Member, isOver: () => boolean): Promise<number> {
  let opened = 0;
  while (!isOver()) {
    if (await canDial(member)) opened += 1;
    await sleep(20);
  }
  return opened;
}

/** Kills one part right after a member has lost its right. Returns the times from its start on, in milliseconds. */
async function killDuringLoss({ kill, start }: ReturnType<typeof targets>[number], victim: Member) {
  const others = crowd.filter((member) => member !== victim);
  const { take, giveBack } = losses()[Math.floor(Math.random() * losses().length)]!;
  await take(victim);
  let isOver = false;
  const opened = dialUntil(victim, () => isOver);
  await kill();
  await sleep(shortest + Math.random() * (longest - shortest));
  await start();
  const startedAt = performance.now();
  const since = () => Math.round(performance.now() - startedAt);
  let firstDial = 0;
  const returned = others.map(async (member) => {
    await network.until(`${member.name} dials`, () => canDial(member), recoveryTime);
    firstDial ||= since();
    await member.connect(recoveryTime);
  });
  await network.until('the victim has lost its connections', async () => victim.open.size === 0, recoveryTime);
  const ended = since();
  await Promise.all(returned);
  const all = since();
  isOver = true;
  expect(await opened, `connections of ${victim.name} without a right`).toBe(0);
  await giveBack(victim);
  await victim.connect(recoveryTime);
  return { ended, firstDial, all };
}

it('whatever is killed comes back, and a right that was taken before does not', {
  timeout: 60_000 + kills * perKill,
}, async () => {
  const results: { readonly what: string; readonly times: object }[] = [];
  for (let count = 0; count < kills; count += 1) {
    const target = targets()[count % 3]!;
    const victim = crowd[Math.floor(Math.random() * members)]!;
    results.push({ what: target.what, times: await killDuringLoss(target, victim) });
  }
  for (const { what, times } of results) console.log(`${what}, milliseconds from its start:`, JSON.stringify(times));
});
