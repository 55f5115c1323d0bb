import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bootstrap, build, env, node, root, run } from './bootstrap.mjs';
import { runReadmeExample } from './check-readme.mjs';
import { chromium } from './chromium.mjs';
import { createTally } from './tally.mjs';

const START_LIMIT = 30_000;
const STOP_LIMIT = 20_000;
const EXAMPLE_LIMIT = 120_000;

/** Runs all examples and the example in README.md against a built controller. Run a build first. */
export async function runExamples(tally) {
  console.log('Examples …');
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-examples-'));
  const account = {
    EDGE_ADMIN_USERNAME: 'admin',
    EDGE_ADMIN_PASSWORD: `pw-${Math.random().toString(36).slice(2)}-Aa1`,
  };
  try {
    const pagePort = String(await freePort());
    const pages = { EDGE_CORS_ORIGINS: `http://localhost:${pagePort}` };
    const server = await startServer({ ...account, ...pages, EDGE_DATA_DIR: dataDir, EDGE_PORT: '0' });
    const target = {
      ...{ ...account, EDGE_URL: server.url, EDGE_CA: join(dataDir, 'pki', 'ca.pem') },
      ...{ EDGE_PAGE_PORT: pagePort, CHROME_PATH: chromium() },
    };
    for (const name of examples()) {
      tally.step(`examples/${name}`, await runExample(name, target));
    }
    tally.step('example in README.md', await runReadmeExample(target, EXAMPLE_LIMIT));
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

function runExample(name, target) {
  const cwd = join(root, 'examples', name);
  const { scripts } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'));
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

function startServer(settings) {
  const args = [join('packages', 'server', 'dist', 'main.js'), 'run'];
  const child = spawn(node, args, { cwd: root, env: { ...env, ...settings }, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const ended = new Promise((resolve) => child.on('close', (code, signal) => resolve({ code: code ?? 1, signal })));
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`not ready within ${START_LIMIT / 1000} s\n${output}`));
    }, START_LIMIT);
    const read = (chunk) => {
      output += chunk;
      const ready = /listening on (https:\/\/[^\s"]+)/.exec(output);
      if (!ready) return;
      clearTimeout(timer);
      resolve({ url: ready[1], stop: () => stopServer(child, ended, () => output) });
    };
    child.stdout.on('data', read);
    child.stderr.on('data', (chunk) => (output += chunk));
    ended.then(({ code }) => {
      clearTimeout(timer);
      reject(new Error(`exited with ${code} before it was ready\n${output}`));
    });
  });
}

async function stopServer(child, ended, output) {
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT);
  child.kill('SIGTERM');
  const { code, signal } = await ended;
  clearTimeout(timer);
  return { code, output: `${output()}\n${signal ? `ended by ${signal}` : `exit code ${code}`}` };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  bootstrap();
  build(['*']);
  const tally = createTally();
  await runExamples(tally);
  console.log(tally.line());
  process.exit(tally.failed === 0 ? 0 : 1);
}
