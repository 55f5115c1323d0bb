// Stops controllers while clients open new connections, and counts what the clients see. A connection that was accepted
// must be served. After the listener is closed, `ECONNREFUSED` is right. Fails when a client sees anything else, or when a
// controller takes longer than 10 s to stop.
// Usage: node packages/server/test/house/faults/drain.ts [rounds=20] [clients=8]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const [rounds = 20, clients = 8] = process.argv.slice(2).map(Number);
const main = fileURLToPath(new URL('../../../src/main.ts', import.meta.url));
const dataDir = mkdtempSync(join(tmpdir(), 'edge-drain-'));
const seen: Record<string, number> = {};
let port = '0';
let slowest = 0;

async function start() {
  const child = spawn(process.execPath, ['--conditions=source', '--no-warnings', main], {
    env: {
      ...{ PATH: process.env.PATH, EDGE_DATA_DIR: dataDir, EDGE_PORT: port, EDGE_LOG_LEVEL: 'error' },
      EDGE_ADMIN_PASSWORD: 'correct horse battery',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  while (!/listening on https:\S+\n/.test(output)) output += (await once(child.stdout, 'data'))[0];
  // The next controller listens on the same port.
  [, port = ''] = /listening on https:[^:]+:(\d+)/.exec(output) ?? [];
  return child;
}

/** Opens one connection, and resolves with the status or the error. */
const connectOnce = (ca: Buffer) =>
  new Promise<string>((resolve) => {
    const options = { host: 'localhost', family: 4, port, ca, path: '/edge/client/v1/version', agent: false };
    const ended = ({ code = 'unknown' }: NodeJS.ErrnoException) => resolve(code);
    const sent = request(options, (response) => {
      response
        .resume()
        .on('end', () => resolve(String(response.statusCode)))
        .on('error', ended);
    });
    sent.on('error', ended).end();
  });

for (let round = 0; round < rounds; round += 1) {
  const child = await start();
  const ca = readFileSync(join(dataDir, 'pki', 'ca.pem'));
  await connectOnce(ca);
  let isDone = false;
  const loops = Array.from({ length: clients }, async () => {
    while (!isDone) {
      const outcome = await connectOnce(ca);
      seen[outcome] = (seen[outcome] ?? 0) + 1;
      if (outcome === 'ECONNREFUSED') await sleep(1);
    }
  });
  await sleep(300 + 20 * (round % 7));
  const startedAt = performance.now();
  child.kill('SIGTERM');
  await once(child, 'exit');
  slowest = Math.max(slowest, performance.now() - startedAt);
  isDone = true;
  await Promise.all(loops);
}
rmSync(dataDir, { recursive: true });
const wrong = Object.keys(seen).filter((outcome) => !['200', 'ECONNREFUSED'].includes(outcome));
process.stdout.write(
  `${rounds} rounds of ${clients} clients: ${JSON.stringify(seen)}; slowest stop ${Math.round(slowest)} ms\n`,
);
process.exit(wrong.length > 0 || slowest > 10_000 ? 1 : 0);
