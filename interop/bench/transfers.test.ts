import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { median } from '../../bench/rounds.ts';
import { goDialer, goHost } from '../test/support/clients.ts';
import type { Network, NetworkIdentity } from '../test/support/network.ts';
import { startNetwork } from '../test/support/network.ts';
import { Program } from '../test/support/program.ts';

/** So many that the time until V8 has compiled the hot path counts little. */
const bytes = 200_000_000;
const rounds = 5;
const longest = 120_000;

let network: Network;
let host: NetworkIdentity;
let caller: NetworkIdentity;

beforeAll(async () => {
  network = await startNetwork();
  host = await network.addIdentity('host', ['hosts']);
  caller = await network.addIdentity('caller', ['callers']);
});
afterAll(() => network[Symbol.asyncDispose]());

/** Runs a program of this folder with this SDK. */
function nodeProgram(file: string, identity: NetworkIdentity, ...more: readonly string[]): Program {
  const path = fileURLToPath(new URL(file, import.meta.url));
  const args = ['--conditions=source', '--no-warnings', path, identity.file, network.controller.url, ...more];
  return new Program(process.execPath, args);
}

describe.each([{ encrypted: true }, { encrypted: false }])('with encryption: $encrypted', ({ encrypted }) => {
  const services = { go: `go-${encrypted}`, node: `node-${encrypted}` };
  const hosts: Program[] = [];

  beforeAll(async () => {
    await Promise.all(Object.values(services).map((service) => network.addService(service, { encrypted })));
    const ofNode = nodeProgram('node-host.ts', host, services.node);
    hosts.push(await goHost(host, services.go), ofNode);
    await ofNode.event('ready');
  });
  afterAll(async () => {
    for (const each of hosts) await each.stop('SIGKILL');
  });

  /** Megabytes per second, there and back. */
  async function speed(from: 'go' | 'node', to: 'go' | 'node'): Promise<number> {
    const service = services[to];
    await using dialer =
      from === 'go'
        ? goDialer(caller, { service, bytes })
        : nodeProgram('node-dialer.ts', caller, service, String(bytes));
    const { milliseconds = Number.NaN, bytes: count = 0 } = await dialer.event('transferred', { timeout: longest });
    expect(count).toBe(bytes);
    return count / 1e3 / milliseconds;
  }

  it('Node to Node carries at least half of what Go to Go carries', async () => {
    const pairs = [
      ['go', 'go'],
      ['node', 'node'],
      ['go', 'node'],
      ['node', 'go'],
    ] as const;
    const results = pairs.map(([from, to]) => ({ from, to, speeds: [] as number[] }));
    for (let round = 0; round < rounds; round += 1) {
      for (const result of round % 2 === 0 ? results : results.toReversed()) {
        result.speeds.push(await speed(result.from, result.to));
      }
    }
    const [baseline = [], own = []] = results.map(({ speeds }) => speeds);
    for (const { from, to, speeds } of results) console.log(lineOf(`${from} to ${to} and back`, speeds, baseline));
    expect(median(own.map((value, round) => value / (baseline[round] ?? Number.NaN)))).toBeGreaterThan(0.5);
  });

  function lineOf(name: string, speeds: readonly number[], baseline: readonly number[]): string {
    const ratios = speeds.map((value, round) => value / (baseline[round] ?? Number.NaN));
    const range = (values: readonly number[], digits: number) =>
      `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)}-${Math.max(...values).toFixed(digits)})`;
    return `encrypted ${encrypted}  ${name.padEnd(24)} ${range(speeds, 1)} MB/s  x${range(ratios, 2)}`;
  }
});

it('an idle connection needs little memory', async () => {
  const connections = 1_000;
  await network.addService('idle', { encrypted: true });
  await using hosting = nodeProgram('node-host.ts', host, 'idle', String(connections));
  await hosting.event('ready');
  await using dialing = nodeProgram('node-idle.ts', caller, 'idle', String(connections));
  for (const [side, program] of Object.entries({ dialing, hosting })) {
    const { bytes: each = Number.NaN, rss = Number.NaN } = await program.event('memory', { timeout: longest });
    const kilobytes = (value: number) => `${(value / 1e3).toFixed(1)} KB`;
    console.log(`${connections} idle connections, ${side}: ${kilobytes(each)} each, resident ${kilobytes(rss)}`);
    expect(each).toBeLessThan(50_000);
  }
});
