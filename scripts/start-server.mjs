import { spawn } from 'node:child_process';
import { env, node, root } from './bootstrap.mjs';

const START_LIMIT = 30_000;
const STOP_LIMIT = 20_000;

/** Starts the executable of a server at a free port. Rejects with its output when it does not listen in time. */
export function startServer(executable, { settings, cwd = root }) {
  const child = spawn(node, [executable, 'run'], {
    cwd,
    env: { ...env, EDGE_PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
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
