import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { CreateTerminatorRequestSchema, decode, encode, RouteSchema } from '@edge-controller/router-messages';
import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import { createEdgeClient } from '@edge-controller/sdk/node';
import { controlHeaders, controlTypes, readHeader } from '@edge-controller/shared-types/channel';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { adminCredentials } from '../support/controller.ts';
import { freePort } from '../support/free-port.ts';
import type { Target } from '../support/target.ts';
import { attackedAndIdle, p99, startTarget } from '../support/target.ts';
import { bind, dial, dialMessage, routeResult } from './edge-routers/raw-requests.ts';
import type { RawMessage } from './edge-routers/raw-router.ts';
import { enrolledRouter, RawRouter } from './edge-routers/raw-router.ts';

const hostileRouter = fileURLToPath(new URL('../support/hostile-router.ts', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'edge-hostile-'));

describe('a controller with a hostile router', () => {
  const kills: (() => void)[] = [];
  let target: Target;
  let address: string;
  let network: Network;
  beforeAll(async () => {
    address = `127.0.0.1:${await freePort()}`;
    target = await startTarget({ EDGE_ROUTERS_BIND: address }, (kill) => kills.push(kill));
    const admin = createEdgeClient(target.url, { caFile: target.caFile });
    await admin.signIn.password(adminCredentials);
    network = { admin, routersAddress: `tls:${address}`, url: target.url, caFile: target.caFile };
    await p99(target);
  });
  afterAll(async () => {
    network.admin.dispose();
    await target[Symbol.asyncDispose]();
    for (const kill of kills) kill();
    rmSync(dir, { recursive: true, force: true });
  });

  /** Begins to send what these kinds are, without an end. */
  async function flood(kinds: string, file: string): Promise<() => void> {
    const args = ['--conditions=source', '--no-warnings', hostileRouter, kinds, address, file, target.token];
    const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    await once(child.stdout, 'data');
    await sleep(500);
    return () => void child.kill('SIGKILL');
  }

  it.each([
    ['with short messages', 'unknown,ping,keys,verify'],
    ['with binds and dials of sessions that were lost', 'lost-bind,lost-dial'],
    ['with binds and dials of sessions that it invents', 'bind,dial'],
    ['with long lists', 'heartbeat,validate,faults,confirm,interfaces,links'],
    ['with what is costly', 'resync,client-hello,extend'],
  ])('%s: session checks stay within three times their idle p99', async (_what, kinds) => {
    const file = join(dir, `${kinds}.json`);
    writeFileSync(file, JSON.stringify(await enrolledRouter(network)));
    const before = target.memory();
    const rounds = await attackedAndIdle(target, () => flood(kinds, file));
    expect(rounds.at(-1)?.attacked, JSON.stringify(rounds)).toBeLessThanOrEqual(3 * (rounds.at(-1)?.idle ?? 0));
    expect(target.memory() - before).toBeLessThan(200);
  });

  it('dials of others stay within three times their idle p99 while a user dials a host that does not answer', async () => {
    const { dialer, silent, quick } = await hostedServices(network);
    const router = await answeringRouter(network);
    const [host, attacker, user] = [await dialer('host'), await dialer('attacker'), await dialer('user')];
    for (const [address, id] of [
      ['silent', silent],
      ['quick', quick],
    ] as const) {
      expect(await bind(router, { ...(await host(id, 'Bind')), address })).toMatchObject({ result: 'SUCCESS' });
    }
    const [flooding, dialing] = [await attacker(silent, 'Dial'), await user(quick, 'Dial')];
    const p99OfDials = async () => {
      const times: number[] = [];
      const dialInTurn = async () => {
        while (times.length < 500) {
          const startedAt = performance.now();
          expect(await dial(router, dialing)).toHaveProperty('address');
          times.push(performance.now() - startedAt);
        }
      };
      await Promise.all([dialInTurn(), dialInTurn(), dialInTurn(), dialInTurn()]);
      return times.toSorted((a, b) => a - b)[Math.floor(times.length * 0.99)] ?? 0;
    };
    await p99OfDials();
    const rounds: { readonly idle: number; readonly attacked: number }[] = [];
    while (rounds.length < 4 && !rounds.some(({ idle, attacked }) => attacked <= 3 * idle)) {
      const idle = await p99OfDials();
      const refused = dialOften(router, dialMessage(flooding), 1_100);
      rounds.push({ idle, attacked: await p99OfDials() });
      await refused;
    }
    expect(rounds.at(-1)?.attacked, JSON.stringify(rounds)).toBeLessThanOrEqual(3 * (rounds.at(-1)?.idle ?? 0));
    router.close();
  });

  it('answers 10,000 binds after a lost session for the CPU time of five times as many pings at most', async () => {
    const router = await RawRouter.enroll(network);
    const request = { address: 'terminator', sessionToken: 'lost', apiSessionToken: target.token };
    const body = encode(CreateTerminatorRequestSchema, request);
    const cpuTimeOf = async (type: number, message: RawMessage, count: number) => {
      const before = target.cpuTime();
      for (let at = 1; at < count; at += 1) router.send(type, message);
      await router.ask(type, message);
      router.peer.unread = [];
      return target.cpuTime() - before;
    };
    const [binds, pings] = [[], []] as [number[], number[]];
    for (const count of [2_000, 10_000, 10_000, 10_000]) {
      pings.push(await cpuTimeOf(controlTypes.ping, {}, count));
      binds.push(await cpuTimeOf(controlTypes.createTerminator, { body }, count));
    }
    // The first round warms up.
    const sum = ([, ...rounds]: readonly number[]) => rounds.reduce((total, time) => total + time, 0);
    expect(sum(binds), JSON.stringify({ pings, binds })).toBeLessThanOrEqual(5 * sum(pings));
    router.close();
  });
});

interface Network {
  readonly admin: NodeEdgeClient;
  readonly routersAddress: string;
  readonly url: string;
  readonly caFile: string;
}

/** Two services that everybody may use through every router, and identities that do so. */
async function hostedServices({ admin, url, caFile }: Network) {
  const { services, servicePolicies, edgeRouterPolicies, serviceEdgeRouterPolicies, identities } = admin.management;
  const all = ['#all'];
  const any = { semantic: 'AnyOf', edgeRouterRoles: all } as const;
  await edgeRouterPolicies.create({ ...any, name: 'all', identityRoles: all });
  await serviceEdgeRouterPolicies.create({ ...any, name: 'all', serviceRoles: all });
  for (const type of ['Dial', 'Bind'] as const) {
    await servicePolicies.create({ name: type, type, semantic: 'AnyOf', identityRoles: all, serviceRoles: all });
  }
  const { id: silent } = await services.create({ name: 'silent', encryptionRequired: false });
  const { id: quick } = await services.create({ name: 'quick', encryptionRequired: false });
  const dialer = async (name: string) => {
    const { id } = await identities.create({ name, type: 'Device', isAdmin: false });
    await admin.management.authenticators.create({
      method: 'updb',
      identityId: id,
      username: name,
      password: 'a password of a device',
    });
    const kept = { token: '' };
    const storage = {
      get: () => null,
      set: (_key: string, token: string) => void Object.assign(kept, { token }),
      remove: () => undefined,
    };
    const edge = createEdgeClient(url, { caFile, storage });
    await edge.signIn.password({ username: name, password: 'a password of a device' });
    return async (serviceId: string, type: 'Dial' | 'Bind') => {
      const { token: sessionToken } = await edge.sessions.create({ serviceId, type });
      return { sessionToken, apiSessionToken: kept.token };
    };
  };
  return { silent, quick, dialer };
}

/** A router whose application answers at once, but for the host `silent`. */
async function answeringRouter(network: Network): Promise<RawRouter> {
  const router = await RawRouter.enroll(network);
  const { onFrame } = router.peer;
  router.peer.onFrame = (frame) => {
    if (frame.type !== controlTypes.route) return onFrame?.(frame) ?? false;
    const route = decode(RouteSchema, frame.body);
    if (route.egress?.destination !== 'silent') routeResult(router, frame, route);
    return true;
  };
  return router;
}

/** Dials so many times at once. Resolves when all dials are refused. */
async function dialOften(router: RawRouter, message: RawMessage, count: number): Promise<void> {
  const { onFrame } = router.peer;
  const sent = new Set<number>();
  const refused = new Promise<void>((resolve) => {
    router.peer.onFrame = (frame) => {
      if (
        frame.type !== controlTypes.error ||
        !sent.delete(readHeader.i32(frame.headers.get(controlHeaders.replyFor)) ?? 0)
      )
        return onFrame?.(frame) ?? false;
      if (sent.size === 0) resolve();
      return true;
    };
  });
  for (let at = 0; at < count; at += 1) sent.add(router.send(controlTypes.createCircuit, message));
  await refused;
  router.peer.onFrame = onFrame;
}
