import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootstrap, build, env, root, run } from './bootstrap.mjs';
import { checkPacked } from './check-packed.mjs';
import { runReadmeExample } from './check-readme.mjs';
import { chromium } from './chromium.mjs';
import { startServer } from './start-server.mjs';
import { createTally } from './tally.mjs';

const EXAMPLE_LIMIT = 240_000;
const STEPS_AT_ONCE = 2;

/** Runs all examples, the example in README.md and the packed packages against a built controller. Run a build first. */
export async function runExamples(tally) {
  console.log('Examples …');
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-examples-'));
  const account = {
    EDGE_ADMIN_USERNAME: 'admin',
    EDGE_ADMIN_PASSWORD: `pw-${Math.random().toString(36).slice(2)}-Aa1`,
  };
  try {
    const runs = [];
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
    tally.fail('the built controller starts', error.message);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

function examples() {
  if (!existsSync(join(root, 'examples'))) return [];
  return readdirSync(join(root, 'examples')).filter((name) => existsSync(join(root, 'examples', name, 'package.json')));
}

function manifestOf(name) {
  return JSON.parse(readFileSync(join(root, 'examples', name, 'package.json'), 'utf8'));
}

/** Those with a browser take longest. When they are last, one core has nothing to do. */
function longestFirst(names) {
  const hasBrowser = (name) => Number('playwright-core' in (manifestOf(name).devDependencies ?? {}));
  return names.toSorted((one, other) => hasBrowser(other) - hasBrowser(one));
}

function runExample(name, target) {
  const cwd = join(root, 'examples', name);
  const { scripts } = manifestOf(name);
  // An example that runs until it is stopped has a script "test".
  const script = scripts?.test ?? scripts?.start;
  if (!script) return Promise.resolve({ code: 1, output: 'package.json has no script "start"' });
  const PATH = `${join(cwd, 'node_modules', '.bin')}${delimiter}${env.PATH}`;
  const [shell, flag] = process.platform === 'win32' ? ['cmd', '/c'] : ['sh', '-c'];
  return run(shell, [flag, script], { cwd, extraEnv: { ...target, PATH }, timeout: EXAMPLE_LIMIT });
}

function freePort() {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address();
      probe.close(() => resolve(port));
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await bootstrap();
  await build(['*']);
  const tally = createTally();
  await runExamples(tally);
  console.log(tally.line());
  process.exit(tally.failed === 0 ? 0 : 1);
}
