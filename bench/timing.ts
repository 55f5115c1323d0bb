// Tells whether a stopwatch can tell who exists.
// Usage: node --conditions=source timing.ts [sqlite|postgres] [rounds=1000] [burst=5] [bursts at once=1]
import { fork } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startTestPostgres } from '../packages/server/test/support/postgres.ts';
import { auc } from './auc.ts';
import { createProcesses } from './processes.ts';
import { median } from './rounds.ts';
import type { TimingClient } from './timing-client.ts';
import { connect } from './timing-client.ts';

const given = process.argv.slice(2);
const isNumber = (word: string) => /^\d+$/.test(word);
const [rounds = 1_000, burst = 5, atOnce = 1] = given.filter(isNumber).map(Number);
const [database = 'sqlite'] = given.filter((word) => !isNumber(word));
/** How far from 0.5 an AUC may be. */
const tolerance = 0.05;
const password = 'a password of a user';

interface Kind {
  readonly name: string;
  /** `null`: another one for each burst, which nobody has. */
  readonly username: string | null;
  /** Makes the next burst find what the first one found. */
  readonly restore: () => Promise<unknown>;
}

/** The times of the responses to a kind, in milliseconds: of all, and of the first and the last one of each burst. */
interface Times {
  readonly all: number[];
  readonly first: number[];
  readonly last: number[];
}

async function addKinds({ addUser, signIn, disable, enable }: TimingClient): Promise<Kind[]> {
  const other = await addUser('restored', password, {});
  // All kinds are restored by one request, so that none is followed by more work than the others.
  const nothing = () => enable(other);
  const names = { '0': 'unlimited', '3': 'lock-at-3', '5': 'lock-at-5', '1000000': 'unlocked' };
  // The second one shows how far from 0.5 chance alone goes.
  const kinds: Kind[] = ['unknown user', 'another unknown user'].map((name) => ({
    ...{ name, username: null, restore: nothing },
  }));
  for (const [maxAttempts, username] of Object.entries(names)) {
    const id = await addUser(username, password, { maxAttempts: Number(maxAttempts) });
    kinds.push({ name: `wrong, maxAttempts ${maxAttempts}`, username, restore: () => enable(id) });
  }
  await addUser('locked-one', password, { maxAttempts: 1 });
  await signIn('locked-one', 'a wrong password');
  await disable(await addUser('disabled1', password, { maxAttempts: 3 }));
  await addUser('forbidden', password, { maxAttempts: 3, allowed: false });
  for (const username of ['locked-one', 'disabled1', 'forbidden']) {
    kinds.push({ name: username, username, restore: nothing });
  }
  return kinds;
}

/** Every kind once per round, in an order of chance, `atOnce` of them at once. */
async function measure(client: TimingClient, kinds: readonly Kind[]): Promise<ReadonlyMap<string, Times>> {
  const times = new Map(kinds.map(({ name }) => [name, { all: [], first: [], last: [] } as Times]));
  for (let round = 0; round < rounds; round += 1) {
    const turns = shuffled(kinds);
    const worker = async () => {
      for (let kind = turns.pop(); kind; kind = turns.pop()) {
        const taken = await refusals(client, kind);
        await kind.restore();
        const of = times.get(kind.name);
        of?.all.push(...taken);
        of?.first.push(Math.min(...taken));
        of?.last.push(Math.max(...taken));
      }
    };
    await Promise.all(Array.from({ length: atOnce }, worker));
  }
  return times;
}

async function refusals({ signIn }: TimingClient, kind: Kind): Promise<number[]> {
  // As long as the others, and never the same twice.
  const username = kind.username ?? randomUUID().slice(0, 9);
  const wrong = password.replace('user', 'gues');
  const responses = await Promise.all(Array.from({ length: burst }, () => signIn(username, wrong)));
  for (const { status, text } of responses) {
    if (status !== 401) throw new Error(`${kind.name} responded with ${status}: ${text}`);
  }
  return responses.map(({ milliseconds }) => milliseconds);
}

function shuffled<T>(items: readonly T[]): T[] {
  const keyed = items.map((item) => ({ item, key: randomInt(2 ** 32) }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

function report(times: ReadonlyMap<string, Times>): void {
  const [[reference, unknown] = ['', { all: [], first: [], last: [] }], ...others] = times;
  say(`${database}, bursts of ${burst}, ${atOnce} at once, ${rounds} of each kind; AUC beside "${reference}"`);
  say(
    `${['', 'all', 'first', 'last', '  median of all'].map((word, at) => word.padStart(at === 0 ? 28 : 8)).join('')}`,
  );
  say(`${reference.padEnd(52)}${median(unknown.all).toFixed(1).padStart(8)} ms`);
  for (const [name, { all, first, last }] of others) {
    const areas = [auc(unknown.all, all), auc(unknown.first, first), auc(unknown.last, last)];
    const isAlike = areas.every((area) => Math.abs(area - 0.5) <= tolerance);
    if (!isAlike) process.exitCode = 1;
    const cells = areas.map((area) => area.toFixed(3).padStart(8)).join('');
    say(`${name.padEnd(28)}${cells}${median(all).toFixed(1).padStart(8)} ms  ${isAlike ? 'alike' : 'DIFFERENT'}`);
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** Resolves to the URL. Every refusal is a log line; whatever else it says is worth seeing. */
async function startController(env: Readonly<Record<string, string>>) {
  const child = fork(join(import.meta.dirname, 'controller.ts'), {
    env: { ...process.env, ...env },
    execArgv: ['--conditions=source', '--no-warnings'],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    const lines = chunk.toString().split('\n');
    for (const line of lines) if (line !== '' && !line.startsWith('{')) process.stderr.write(`${line}\n`);
  });
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the controller ended')));
  const [{ url }] = (await Promise.race([once(child, 'message'), ended])) as [{ url: string }];
  ended.catch(() => undefined);
  return { url, stop: () => child.kill('SIGKILL') };
}

await using processes = createProcesses();
const data = join(processes.directory, 'data');
mkdirSync(data);
const postgres = database === 'postgres' ? await startTestPostgres() : null;
try {
  const stores = postgres ? { BENCH_DATABASE: postgres.url, BENCH_REDIS: await processes.startRedis() } : {};
  const { url, stop } = await startController({ BENCH_DATA: data, ...stores });
  try {
    const client = await connect(url, { caFile: join(data, 'pki/ca.pem'), connections: burst * atOnce });
    const kinds = await addKinds(client);
    await client.warmUp();
    report(await measure(client, kinds));
    client.close();
  } finally {
    stop();
  }
} finally {
  await postgres?.stop();
}
