import { once } from 'node:events';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { Done } from './bootstrap.mjs';
import { build, env, root, run } from './bootstrap.mjs';
import { checkPacked } from './check-packed.ts';
import { runReadmeExample } from './check-readme.ts';
import { chromium } from './chromium.ts';
import { startServer } from './start-server.ts';
import type { Tally } from './tally.ts';
import { createTally, messageOf } from './tally.ts';

const EXAMPLE_LIMIT = 240_000;
const STEPS_AT_ONCE = 2;

/** Runs all examples, the example in README.md and the packed packages against a built controller. Run a build first. */
export async function runExamples(tally: Tally) {
  console.log('Examples …');
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-examples-'));
  const account = {
    EDGE_ADMIN_USERNAME: 'admin',
    EDGE_ADMIN_PASSWORD: `pw-${Math.random().toString(36).slice(2)}-Aa1`,
  };
  try {
    const runs: { name: string; pagePort: number }[] = [];
    for (const name of longestFirst(examples())) runs.push({ name, pagePort: await freePort() });
    const pages = { EDGE_CORS_ORIGINS: runs.map(({ pagePort }) => `http://localhost:${pagePort}`).join() };
    const server = await startServer(join('packages', 'server', 'dist', 'main.js'), {
      settings: { ...account, ...pages, EDGE_DATA_DIR: dataDir },
    });
    const target = {
      ...{ ...account, EDGE_URL: server.url, EDGE_CA: join(dataDir, 'pki', 'ca.pem') },
      ...{ CHROME_PATH: chromium() },
    };
    const steps = runs.map(({ name, pagePort }) => async () => {
      tally.step(`examples/${name}`, await runExample(name, { ...target, EDGE_PAGE_PORT: String(pagePort) }));
    });
    steps.push(async () => tally.step('example in README.md', await runReadmeExample(target, EXAMPLE_LIMIT)));
    steps.unshift(() => checkPacked(tally));
    const runNext = async () => {
      for (let step = steps.shift(); step; step = steps.shift()) await step();
    };
    await Promise.all(Array.from({ length: STEPS_AT_ONCE }, runNext));
    tally.step('the controller stops and exits with 0 on SIGTERM', await server.stop());
  } catch (error) {
    tally.fail('the built controller starts', messageOf(error));
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function examples() {
  if (!existsSync(join(root, 'examples'))) return [];
  return readdirSync(join(root, 'examples')).filter((name) => existsSync(join(root, 'examples', name, 'package.json')));
}

interface Manifest {
  readonly scripts?: { readonly start?: string; readonly test?: string };
  readonly devDependencies?: object;
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(root, 'examples', name, 'package.json'), 'utf8'));
}

/** Those with a browser take longest. When they are last, one core has nothing to do. */
function longestFirst(names: readonly string[]) {
  const hasBrowser = (name: string) => Number('playwright-core' in (manifestOf(name).devDependencies ?? {}));
  return names.toSorted((one, other) => hasBrowser(other) - hasBrowser(one));
}

async function runExample(name: string, target: Record<string, string>): Promise<Done> {
  const cwd = join(root, 'examples', name);
  const { scripts } = manifestOf(name);
  // An example that runs until it is stopped has a script "test".
  const script = scripts?.test ?? scripts?.start;
  if (!script) return { code: 1, output: 'package.json has no script "start"' };
  const PATH = `${join(cwd, 'node_modules', '.bin')}${delimiter}${env.PATH}`;
  const [shell, flag] = process.platform === 'win32' ? ['cmd', '/c'] : ['sh', '-c'];
  return run(shell, [flag, script], { cwd, extraEnv: { ...target, PATH }, timeout: EXAMPLE_LIMIT });
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  if (address === null || typeof address === 'string') throw new Error('the probe has no port');
  probe.close();
  await once(probe, 'close');
  return address.port;
}

if (import.meta.main) {
  await build(['*']);
  const tally = createTally();
  await runExamples(tally);
  console.log(tally.line());
  process.exit(tally.failed === 0 ? 0 : 1);
}
