import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { NodeEdgeClient } from '@edge-controller/sdk/node';
import { createEdgeClient } from '@edge-controller/sdk/node';
import { controlTypes } from '@edge-controller/shared-types/channel';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { encode } from '../src/router-messages/codec.ts';
import { CreateTerminatorRequestSchema } from '../src/router-messages/generated/router_pb.js';
import type { RawMessage } from './edge-routers/raw-router.ts';
import { enrolledRouter, RawRouter } from './edge-routers/raw-router.ts';
import { adminCredentials } from './support/controller.ts';
import { freePort } from './support/free-port.ts';
import type { Target } from './support/target.ts';
import { attackedAndIdle, p99, startTarget } from './support/target.ts';

const hostileRouter = fileURLToPath(new URL('support/hostile-router.ts', import.meta.url));
const dir = mkdtempSync(join(tmpdir(), 'edge-hostile-'));

describe('a controller with a hostile router', () => {
  const kills: (() => void)[] = [];
  let target: Target;
  let address: string;
  let network: { readonly admin: NodeEdgeClient; readonly routersAddress: string };
  beforeAll(async () => {
    address = `127.0.0.1:${await freePort()}`;
    target = await startTarget({ EDGE_ROUTERS_BIND: address }, (kill) => kills.push(kill));
    const admin = createEdgeClient(target.url, { caFile: target.caFile });
    await admin.signIn.password(adminCredentials);
    network = { admin, routersAddress: `tls:${address}` };
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
