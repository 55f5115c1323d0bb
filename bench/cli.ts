// How long the built command line takes: its start, and `apply` of a file with many services.
// Usage: node --conditions=source cli.ts [services=10000] [rounds=15]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { credentials } from './call.ts';
import { createProcesses } from './processes.ts';
import { startController } from './servers.ts';

const [services = 10_000, rounds = 15] = process.argv.slice(2).map(Number);
const program = join(import.meta.dirname, '../packages/cli/dist/bin.js');
if (!existsSync(program)) throw new Error(`${program} is missing: run "npm run build"`);

await using processes = createProcesses();
const server = await startController(processes, { name: 'sqlite' });
const env = { PATH: process.env.PATH ?? '', EDGE_CONFIG_DIR: join(processes.directory, 'config') };

/** Runs Node with these arguments. Resolves to milliseconds. */
async function run(args: readonly string[], input = ''): Promise<number> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { env, stdio: ['pipe', 'ignore', 'inherit'] });
  child.stdin.end(input);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}`);
  return performance.now() - startedAt;
}

const edge = (...args: readonly string[]) => run([program, ...args]);

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

const { username, password } = JSON.parse(credentials);
const ca = join(processes.directory, 'sqlite/pki/ca.pem');
await run([program, 'login', server.url, '--ca', ca, '--username', username, '--password-stdin'], password);

const starts: Readonly<Record<string, () => Promise<number>>> = {
  'node -e 0': () => run(['-e', '0']),
  'edge --version': () => edge('--version'),
  'edge --help': () => edge('--help'),
  'edge identities create --help': () => edge('identities', 'create', '--help'),
  'edge identities list': () => edge('identities', 'list'),
};
const times = new Map(Object.keys(starts).map((name) => [name, [] as number[]]));
// Not counted: the first one fills the caches of the machine.
for (const start of Object.values(starts)) await start();
// In turns: a machine that slows down in between must not decide.
for (let round = 0; round < rounds; round += 1) {
  for (const [name, start] of Object.entries(starts)) times.get(name)?.push(await start());
}
process.stdout.write(`start to end, medians of ${rounds} rounds\n`);
for (const [name, all] of times) process.stdout.write(`${name.padEnd(32)}${median(all).toFixed(0).padStart(6)} ms\n`);

const file = join(processes.directory, 'network.json');
const network = Array.from({ length: services }, (_one, at) => ({
  ...{ name: `service-${at}`, encryptionRequired: true },
  roleAttributes: [`group-${at % 100}`],
}));
writeFileSync(file, JSON.stringify({ services: network }));
for (const what of ['apply, all of it new', 'apply, nothing to do']) {
  const time = (await edge('apply', '-f', file, '--quiet')) / 1_000;
  process.stdout.write(
    `${what.padEnd(32)}${time.toFixed(1).padStart(6)} s, ${(services / time).toFixed(0)} services a second\n`,
  );
}
