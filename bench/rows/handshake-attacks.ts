import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { call, sessionPath } from '../call.ts';
import type { Contender, Figures } from '../rounds.ts';
import { inRounds } from '../rounds.ts';
import type { Bench, Row } from '../row.ts';
import { printTable } from '../table.ts';

const rate = 400;
/** Milliseconds after an attack: the handshakes that still wait must not count for the next contender. */
const rest = 3_000;

interface Attack {
  readonly chain: string;
  readonly rate: number | null;
  readonly addresses: number;
}

const attacks: Readonly<Record<string, Attack>> = {
  '96 KB of names, one a second': { chain: 'manyNames', rate: 1, addresses: 1 },
  'ten huge exponents, one a second': { chain: 'hugeExponents', rate: 1, addresses: 1 },
  '96 KB of names, at any rate': { chain: 'manyNames', rate: null, addresses: 1 },
  'ten huge exponents, at any rate': { chain: 'hugeExponents', rate: null, addresses: 1 },
  'the slowest chain that is accepted, at any rate': { chain: 'slowestAccepted', rate: null, addresses: 1 },
  'no certificate, at any rate': { chain: 'none', rate: null, addresses: 1 },
  'the slowest chain, from 50 addresses': { chain: 'slowestAccepted', rate: null, addresses: 50 },
};

/** How much longer session checks take while strangers begin TLS handshakes that are made to be slow. */
export const handshakeAttacks: Row = async (bench) => {
  const { url, token, cpu } = await bench.servers.sqlite();
  const checks = await bench.processes.start(join(import.meta.dirname, '../steady-checks.ts'));
  const attacker = await bench.processes.start(join(import.meta.dirname, '../handshake-attacker.ts'));
  const check = async (seconds: number): Promise<Figures> => {
    const before = await cpu();
    const { p99 } = (await checks.ask({ url: url + sessionPath, token, rate, seconds })) as { p99: number };
    return { p99, cpu: ((await cpu()) - before) / (rate * seconds) };
  };
  const jwks = await attackByJwks(bench);
  const beside = ([name, attack]: [string, Attack]): Contender => ({
    name,
    async measure(seconds) {
      const attacked = attacker.ask({ url, ...attack, seconds: seconds + 1 });
      const figures = await check(seconds);
      await attacked;
      await setTimeout(rest);
      return figures;
    },
  });
  const besideJwks: Contender = {
    name: 'a JWKS host with ten huge exponents',
    async measure(seconds) {
      const attacked = jwks(seconds + 1);
      const figures = await check(seconds);
      await attacked;
      await setTimeout(rest);
      return figures;
    },
  };
  const contest = [{ name: 'idle', measure: check }, ...Object.entries(attacks).map(beside), besideJwks] as const;
  printTable(
    `session checks on SQLite at ${rate} a second, beside handshakes of others`,
    await inRounds(contest, bench),
  );
};

/** Registers a signer whose JWKS host is hostile. Returns what makes the controller ask it for some seconds. */
async function attackByJwks({ processes, servers }: Bench): Promise<(seconds: number) => Promise<unknown>> {
  const { url, token } = await servers.sqlite();
  const attacker = await processes.start(join(import.meta.dirname, '../jwks-attacker.ts'));
  const issuer = 'https://hostile.example';
  const jwksEndpoint = `https://127.0.0.1:${(attacker.ready as { port: number }).port}/`;
  const body = JSON.stringify({ name: 'hostile', issuer, jwksEndpoint, audience: 'bench', enabled: true });
  await call(`${url}/edge/management/v1/external-jwt-signers`, { token, body });
  return (seconds) => attacker.ask({ url, issuer, seconds });
}
