import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createStages, since, sizeOf } from './stages.mjs';

// This file runs on any Node >= 18 before anything is installed, so it is no TypeScript and may import only node:*.

/**
 * What became of a command.
 *
 * @typedef {{ code: number, output: string }} Done
 */

/**
 * `show`: the output goes to the terminal. `timeout`: milliseconds. `onLine` gets each line of the standard output.
 *
 * @typedef {object} RunOptions
 * @property {boolean} [show]
 * @property {number} [timeout]
 * @property {string} [cwd]
 * @property {Record<string, string>} [extraEnv]
 * @property {(line: string) => void} [onLine]
 */

/** The root directory of the repository. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** The Node that runs everything. `bootstrap` installs it. */
export const node = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.cmd' : 'node');

const bin = join(root, 'node_modules', '.bin');
const stamp = join(root, 'node_modules', '.edge-controller-install');
const windows = process.platform === 'win32';

/** What the scripts print about their work. */
export const stages = createStages();

/** The environment of every child process: the installed tools are first in the PATH, and telemetry is off. */
export const env = {
  ...process.env,
  PATH: `${bin}${delimiter}${process.env.PATH ?? ''}`,
  TURBO_TELEMETRY_DISABLED: '1',
  TURBO_NO_UPDATE_NOTIFIER: '1',
  DO_NOT_TRACK: '1',
};

/**
 * `pnpm@x.y.z`, from the root package.json.
 *
 * @returns {string}
 */
export function pnpmVersion() {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).packageManager;
}

function lockHash() {
  const hash = createHash('sha256').update(process.platform).update(process.arch);
  return hash.update(readFileSync(join(root, 'pnpm-lock.yaml'))).digest('hex');
}

function isInstalled() {
  return existsSync(stamp) && existsSync(node) && readFileSync(stamp, 'utf8') === lockHash();
}

/**
 * Runs pnpm. Exits with its output when it fails.
 *
 * @param {readonly string[]} args
 * @param {RunOptions} options
 */
async function runPnpm(args, options) {
  const done = await run('npx', ['-y', pnpmVersion(), ...args], options);
  if (done.code === 0) return;
  process.stderr.write(done.output);
  process.exit(done.code || 1);
}

/** Installs the dependencies if the lock file has changed since the last install. Exits when the install fails. */
export async function bootstrap() {
  if (isInstalled()) return;
  const startedAt = performance.now();
  stages.begin('installing', 'dependencies');
  // With CI, pnpm replaces an outdated node_modules without a question.
  await runPnpm(['install', '--frozen-lockfile'], { extraEnv: { CI: 'true' } });
  writeFileSync(stamp, lockHash());
  stages.done('installed', `${installedPackages()} packages`, since(startedAt));
}

/**
 * Runs a program with the installed Node. This process passes its signals on, and ends as the program does.
 *
 * @param {readonly string[]} args
 * @param {string} [cwd]
 */
export function become(args, cwd) {
  const child = spawn(node, args, { cwd, env, stdio: 'inherit', shell: windows });
  // A supervisor or container sends a signal only to this process. From a terminal the program receives the signal twice,
  // which does no harm.
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => child.kill(signal));
  }
  child.on('error', (error) => {
    console.error(error.message);
    process.exit(1);
  });
  child.on('exit', (code, signal) => process.exit(code ?? (signal ? 128 + constants.signals[signal] : 1)));
}

function installedPackages() {
  const store = join(root, 'node_modules', '.pnpm');
  return existsSync(store) ? readdirSync(store).filter((name) => name.includes('@')).length : 0;
}

/**
 * Builds the packages and their dependencies, as far as they have changed. Exits when a build fails.
 * Turbo starts package scripts with pnpm, which npx puts on the PATH.
 *
 * @param {readonly string[]} packages
 */
export async function build(packages) {
  const startedAt = performance.now();
  // By folder: an example may have a build of its own.
  const filters = packages.map((name) => `--filter=./packages/${name}`);
  const options = ['--output-logs=new-only', '--log-order=stream', '--continue=dependencies-successful'];
  const unchanged = new Map();
  /** @type {(line: string) => void} */
  const onLine = (line) => {
    const [, name, result] = /@edge-controller\/([\w-]+):build: cache (hit|miss)/.exec(line) ?? [];
    if (name === undefined) return;
    unchanged.set(name, result === 'hit');
    if (result === 'miss') stages.begin('building', name);
  };
  await runPnpm(['exec', 'turbo', 'run', 'build', ...options, ...filters], { onLine });
  for (const [name, isUnchanged] of unchanged) {
    const size = sizeOf(join(root, 'packages', name, 'dist'));
    stages.done('built', name, size, isUnchanged && 'unchanged');
  }
  stages.done('built', `${unchanged.size} packages`, since(startedAt));
}

/**
 * Runs a command from node_modules/.bin or the PATH. Never rejects.
 *
 * @param {string} command
 * @param {readonly string[]} args
 * @param {RunOptions} options
 * @returns {Promise<Done>}
 */
export function run(command, args, options = {}) {
  const { show = false, timeout, cwd = root, extraEnv = {}, onLine } = options;
  return new Promise((resolve) => {
    const shown = show ? 'inherit' : 'pipe';
    const stdio = /** @type {import('node:child_process').StdioOptions} */ (['ignore', shown, shown]);
    const child = spawn(command, args, { cwd, env: { ...env, ...extraEnv }, stdio, shell: windows });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    if (onLine && child.stdout) createInterface({ input: child.stdout }).on('line', onLine);
    const timer = timeout && setTimeout(() => child.kill('SIGKILL'), timeout);
    /** @type {(code: number, note: string) => void} */
    const finish = (code, note) => {
      clearTimeout(timer);
      resolve({ code, output: output + note });
    };
    child.on('error', (error) => finish(1, `${error.message}\n`));
    child.on('close', (code, signal) => finish(code ?? 1, signal ? `ended by ${signal}\n` : ''));
  });
}
