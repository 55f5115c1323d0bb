// Tests with real edge routers and existing clients: builds them when they have changed, and runs interop/test.
// Usage: npm run interop [-- <text in the path of a test>]; `-- bench` measures instead: interop/bench
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root, run, stages } from './bootstrap.mjs';
import { runVitest } from './run-vitest.ts';
import { since } from './stages.mjs';
import { createTally } from './tally.ts';

const folder = join(root, 'interop');
const built = join(folder, '.build');
const router = { path: 'github.com/openziti/ziti', version: 'v1.7.2' };
/** A first build takes minutes on two cores. */
const buildLimit = 30 * 60_000;

const { code, output } = await run('go', ['version']);
if (code !== 0) {
  console.log('interop: there is no Go on the PATH to build real routers with, so no test with a router has run');
  process.exit(0);
}
const modules = await run('go', ['mod', 'download'], { cwd: folder, timeout: buildLimit });
if (modules.code !== 0) {
  console.log('interop: Go cannot download the sources of the routers, so no test with a router has run');
  console.log(modules.output.trim());
  process.exit(0);
}
stages.begin('building', 'router and Go clients', output.trim(), 'the first time takes minutes');
const tally = createTally();
const startedAt = performance.now();
await buildGo();
if (tally.failed === 0) {
  stages.done('built', 'router and Go clients', since(startedAt));
  const withoutC = await installC();
  if (withoutC) console.log(`interop: there is no C SDK, so its tests do not run: ${withoutC}`);
  const excluded = withoutC ? ['--exclude=interop/test/c-sdk.test.ts'] : [];
  const given = process.argv.slice(2);
  const [config, words] =
    given[0] === 'bench' ? ['bench/vitest.config.ts', given.slice(1)] : ['vitest.config.ts', given];
  const args = ['run', `--config=interop/${config}`, ...excluded, ...words];
  await runVitest(tally, args);
}
console.log('');
console.log(tally.line());
process.exit(tally.failed === 0 ? 0 : 1);

async function buildGo() {
  // The path of the sources must not get into the binary: what Go keeps of a build then works in every clone.
  const extraEnv = { GOFLAGS: '-trimpath' };
  const build = (...args: readonly string[]) =>
    run('go', ['build', '-o', join(built, '/'), ...args], { cwd: folder, extraEnv, timeout: buildLimit });
  const version = `-X ${router.path}/common/version.Version=${router.version}`;
  tally.step('go build of the router', await build(`-ldflags=${version}`, `${router.path}/ziti`));
  tally.step('go build of the Go clients', await build('./host', './dialer'));
}

/** Installs the Python package that has the compiled C SDK. Returns why it cannot, if so. */
async function installC(): Promise<string | undefined> {
  const environment = join(built, 'python');
  const python = join(environment, 'bin', 'python');
  if (!existsSync(python)) {
    const made = await run('python3', ['-m', 'venv', environment]);
    if (made.code !== 0) return `python3 cannot make an environment: ${made.output.trim()}`;
  }
  const requirements = join(folder, 'c', 'requirements.txt');
  const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--only-binary=:all:'];
  const installed = await run(python, [...pip, '-r', requirements], { timeout: buildLimit });
  if (installed.code !== 0) return `pip cannot install the package openziti: ${installed.output.trim()}`;
  const loaded = await run(python, ['-c', 'import openziti']);
  return loaded.code === 0 ? undefined : `the package openziti cannot be loaded: ${loaded.output.trim()}`;
}
