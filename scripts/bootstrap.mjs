import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

// This file runs on any Node >= 18 before anything is installed, so it may import only node:*.

/** The root directory of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** The Node that runs everything. `bootstrap` installs it. */
export const node = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');

const bin = join(root, 'node_modules', '.bin');
const stamp = join(root, 'node_modules', '.edge-controller-install');
const windows = process.platform === 'win32';

/** The environment of every child process: the installed tools are first in the PATH, and telemetry is off. */
export const env = {
  ...process.env,
  PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
  TURBO_TELEMETRY_DISABLED: '1',
  TURBO_NO_UPDATE_NOTIFIER: '1',
  DO_NOT_TRACK: '1',
};

/** `pnpm@x.y.z`, from the root package.json. */
function pnpmVersion() {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).packageManager;
}

function lockHash() {
  const hash = createHash('sha256').update(process.platform).update(process.arch);
  return hash.update(readFileSync(join(root, 'pnpm-lock.yaml'))).digest('hex');
}

function isInstalled() {
  return existsSync(stamp) && existsSync(node) && readFileSync(stamp, 'utf8') === lockHash();
}

function runQuietly(args, extraEnv) {
  const options = { cwd: root, encoding: 'utf8', env: { ...env, ...extraEnv }, maxBuffer: 2 ** 28, shell: windows };
  const done = spawnSync('npx', ['-y', pnpmVersion(), ...args], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  if (done.status === 0) return;
  process.stderr.write(`${done.stdout ?? ''}${done.stderr ?? ''}${done.error ? `${done.error.message}\n` : ''}`);
  process.exit(done.status || 1);
}

/** Installs the dependencies if the lock file has changed since the last install. Exits when the install fails. */
export function bootstrap() {
  if (isInstalled()) return;
  console.log('Installing dependencies …');
  // With CI, pnpm replaces an outdated node_modules without a question.
  runQuietly(['install', '--frozen-lockfile'], { CI: 'true' });
  writeFileSync(stamp, lockHash());
}

/**
 * Builds the packages and their dependencies, as far as they have changed. Exits when a build fails.
 * Turbo starts package scripts with pnpm, which npx puts on the PATH.
 */
export function build(packages) {
  const filters = packages.map((name) => `--filter=@edge-controller/${name}`);
  const options = ['--output-logs=errors-only', '--continue=dependencies-successful'];
  runQuietly(['exec', 'turbo', 'run', 'build', ...options, ...filters], {});
}

/** Runs a command from node_modules/.bin or the PATH. Resolves to `{code, output}` and never rejects. */
export function run(command, args, options = {}) {
  const { show = false, timeout, cwd = root, extraEnv = {} } = options;
  return new Promise((resolve) => {
    const stdio = ['ignore', show ? 'inherit' : 'pipe', show ? 'inherit' : 'pipe'];
    const child = spawn(command, args, { cwd, env: { ...env, ...extraEnv }, stdio, shell: windows });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    const timer = timeout && setTimeout(() => child.kill('SIGKILL'), timeout);
    const finish = (code, note) => {
      clearTimeout(timer);
      resolve({ code, output: output + note });
    };
    child.on('error', (error) => finish(1, `${error.message}\n`));
    child.on('close', (code, signal) => finish(code ?? 1, signal ? `ended by ${signal}\n` : ''));
  });
}
