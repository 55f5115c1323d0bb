import { setTimeout as sleep } from 'node:timers/promises';
import { startController } from './controller.ts';
import { becomeReplica } from './fail-over.ts';
import { startFaultProxy } from './fault-proxy.ts';
import type { Network, NetworkUser } from './network.ts';
import { createNetwork } from './network.ts';
import { freshDatabase } from './postgres.ts';
import { startPrivateRedis } from './redis.ts';

/** A user with a session of a service. A policy gives the right to the role attribute, when the device is in a domain. */
interface Held {
  readonly user: NetworkUser;
  readonly sessionId: string;
  readonly serviceId: string;
  readonly checkId: string;
  readonly policyId: string;
}

type Change = (network: Network, held: Held) => Promise<unknown>;

/** How a session of a service ends. Afterwards the identity has the right again, unless it says otherwise. */
const ends: Readonly<Record<string, Change>> = {
  'its owner': (network, { user, sessionId }) => network.as(user, 'DELETE', `/sessions/${sessionId}`),

  'an administrator': (network, { sessionId }) => network.send('DELETE', `/sessions/${sessionId}`),

  async 'role attributes'(network, { user }) {
    await network.send('PATCH', `/identities/${user.id}`, { roleAttributes: [] });
    await network.send('PATCH', `/identities/${user.id}`, { roleAttributes: ['staff'] });
  },

  async 'the policy'(network, { policyId, serviceId, checkId }) {
    await network.send('DELETE', `/service-policies/${policyId}`);
    await network.addPolicy(policyOf({ serviceId, checkId }));
  },

  async 'the posture check'(network, { checkId }) {
    const path = `/posture-checks/${checkId}`;
    await network.send('PATCH', path, { typeId: 'DOMAIN', domains: ['another'] });
    await network.send('PATCH', path, { typeId: 'DOMAIN', domains: ['office'] });
  },

  /** The right does not come back. */
  'the posture': (network, { user, checkId }) => say(network, user, { checkId, domain: 'home' }),
};

function policyOf({ serviceId, checkId }: Pick<Held, 'serviceId' | 'checkId'>) {
  return { identityRoles: ['#staff'], serviceRoles: [`@${serviceId}`], postureCheckRoles: [`@${checkId}`] };
}

async function say(network: Network, user: NetworkUser, { checkId: id, domain }: { checkId: string; domain: string }) {
  const { status, text } = await network.as(user, 'POST', '/posture-response', { id, typeId: 'DOMAIN', domain });
  if (status !== 201) throw new Error(`status ${status}: ${text}`);
}

async function hold(network: Network): Promise<Held> {
  const user = await network.addUser(['staff']);
  const serviceId = await network.addService();
  const checkId = await network.addCheck({ typeId: 'DOMAIN', domains: ['office'] });
  const policyId = await network.addPolicy(policyOf({ serviceId, checkId }));
  await say(network, user, { checkId, domain: 'office' });
  const { status, text, body } = await network.as(user, 'POST', '/sessions', { serviceId });
  if (status !== 201) throw new Error(`status ${status}: ${text}`);
  return { user, serviceId, checkId, policyId, sessionId: body.data.id };
}

/** What became of the sessions after the fail-over. */
export interface ServiceOutcome {
  readonly end: string;
  /** The status of a request for a session of the same service. */
  readonly another: number;
  /** Whether it returned the session of before. */
  readonly isOld: boolean;
  /** The statuses of the session of before, on both controllers. */
  readonly old: readonly number[];
}

/**
 * Two controllers use a Redis with a replica. The replica misses how sessions of services end and becomes the primary. `none` has
 * not ended.
 */
export async function serviceFailOver(postgresUrl: string): Promise<readonly ServiceOutcome[]> {
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
  const servers = [first, second];
  const network = await createNetwork(first);
  const names = [...Object.keys(ends), 'none'];
  const held = new Map<string, Held>();
  for (const end of names) held.set(end, await hold(network));

  /** The first response that is not 503. */
  const answer = async (at: number, method: string, path: string, options: { token: string; body?: object }) => {
    for (;;) {
      const response = await servers[at]!.wire(method, `/edge/client/v1${path}`, options);
      if (response.status !== 503) return response;
      await sleep(10);
    }
  };
  const look = ({ user: { token }, sessionId }: Held) =>
    Promise.all(servers.map(async (_, at) => (await answer(at, 'GET', `/sessions/${sessionId}`, { token })).status));
  // Both controllers know all of them.
  for (const one of held.values()) await look(one);

  await becomeReplica(replica, primary);
  for (const [end, change] of Object.entries(ends)) await change(network, held.get(end)!);
  proxy.switchTarget(replica.port);
  proxy.reset();
  const outcomes: ServiceOutcome[] = [];
  for (const [end, one] of held) {
    const { user, serviceId } = one;
    const { status, body } = await answer(1, 'POST', '/sessions', { token: user.token, body: { serviceId } });
    outcomes.push({ end, another: status, isOld: body.data?.id === one.sessionId, old: await look(one) });
  }
  return outcomes;
}
