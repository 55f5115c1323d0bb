// Kills a controller at random times during writes. After each restart it checks that every acknowledged write is
// stored and that no identity is incomplete.
// With EDGE_DATABASE_URL and EDGE_REDIS_URL it uses these databases instead of SQLite. Both must be empty at the start.
// Usage: node scripts/crash.mjs [cycles=50]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const cycles = Number(process.argv[2] ?? 50);
const writers = 8;
const main = fileURLToPath(new URL('../packages/server/src/main.ts', import.meta.url));
const dataDir = mkdtempSync(join(tmpdir(), 'edge-crash-'));
const stores = Object.fromEntries(
  ['EDGE_DATABASE_URL', 'EDGE_REDIS_URL'].flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])),
);
const credentials = { username: 'admin', password: 'a password of the admin' };

function start() {
  const child = spawn(process.execPath, ['--conditions=source', '--no-warnings', main], {
    env: {
      ...stores,
      PATH: process.env.PATH,
      EDGE_PORT: '0',
      EDGE_DATA_DIR: dataDir,
      EDGE_ADMIN_PASSWORD: credentials.password,
      EDGE_LOG_LEVEL: 'error',
      EDGE_SIGN_IN_RATE: '0',
      EDGE_HASH_QUEUE: '1000',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const ready = new Promise((resolve, reject) => {
    let out = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
      const [, url] = /listening on (https:\S+)/.exec(out) ?? [];
      if (url) resolve(url);
    });
    exited.then(() => reject(new Error('the controller exited before it was ready')));
  });
  ready.catch(() => undefined);
  return { child, ready, exited };
}

function createCaller(url) {
  const agent = new Agent({ ca: readFileSync(join(dataDir, 'pki', 'ca.pem')), keepAlive: true });
  const call = (method, path, { token, body } = {}) =>
    new Promise((resolve, reject) => {
      const payload = body && JSON.stringify(body);
      const headers = {
        ...(payload && { 'content-type': 'application/json' }),
        ...(token && { 'svc-session': token }),
      };
      const outgoing = request(`${url}${path}`, { method, agent, headers }, (incoming) => {
        let text = '';
        incoming.on('data', (chunk) => (text += chunk));
        incoming.on('end', () => resolve({ status: incoming.statusCode, ...JSON.parse(text) }));
        incoming.on('error', reject);
      });
      outgoing.on('error', reject);
      outgoing.end(payload);
    });
  return { call, end: () => agent.destroy() };
}

const identities = '/edge/management/v1/identities';
const existing = new Map(); // name → id of every identity whose creation was acknowledged
const enrolled = new Map(); // user name → true when the enrollment was acknowledged
const deleted = new Set(); // ids whose deletion was acknowledged
const ended = new Set(); // tokens of sessions whose removal was acknowledged
let counter = 0;

async function write(call, token) {
  counter += 1;
  const name = `identity-${counter}`;
  const created = await call('POST', identities, {
    token,
    body: { name, type: 'User', isAdmin: false, enrollment: { updb: name } },
  });
  if (created.status !== 201) throw new Error(`create returned status ${created.status}`);
  existing.set(name, created.data.id);
  if (counter % 3 === 0) {
    const { data } = await call('GET', `${identities}/${created.data.id}`, { token });
    const response = await call('POST', `/edge/client/v1/enroll?token=${data.enrollment.updb.token}`, {
      body: { password: 'a password of a user' },
    });
    if (response.status === 200) enrolled.set(name, true);
  }
  if (counter % 4 === 0) {
    const target = existing.get(name);
    // From here on the identity may be deleted even if the response is lost.
    existing.delete(name);
    enrolled.delete(name);
    const response = await call('DELETE', `${identities}/${target}`, { token });
    if (response.status === 200) deleted.add(target);
  }
  if (counter % 10 === 0) {
    const session = await call('POST', '/edge/client/v1/authenticate?method=password', { body: credentials });
    const response = await call('DELETE', '/edge/client/v1/current-api-session', { token: session.data.token });
    if (response.status === 200) ended.add(session.data.token);
  }
}

async function verify(call, token) {
  const faults = [];
  const { data } = await call('GET', `${identities}?limit=-1`, { token });
  const byId = new Map(data.map((identity) => [identity.id, identity]));
  for (const [name, id] of existing) {
    if (!byId.has(id)) faults.push(`${name} was created and is lost`);
    else if (enrolled.has(name) && !byId.get(id).authenticators.updb) faults.push(`${name} lost its enrollment`);
  }
  for (const id of deleted) if (byId.has(id)) faults.push(`${id} was deleted and exists again`);
  for (const identity of data) {
    if (identity.isDefaultAdmin) continue;
    const isPending = Boolean(identity.enrollment.updb);
    const isEnrolled = Boolean(identity.authenticators.updb);
    if (isPending === isEnrolled) faults.push(`${identity.name} is incomplete`);
  }
  for (const removed of ended) {
    const { status } = await call('GET', '/edge/client/v1/current-api-session', { token: removed });
    if (status !== 401) faults.push('a removed API session works again');
  }
  ended.clear();
  return faults;
}

async function cycle() {
  const server = start();
  const { call, end } = createCaller(await server.ready);
  const signIn = await call('POST', '/edge/management/v1/authenticate?method=password', { body: credentials });
  const { token } = signIn.data;
  const faults = await verify(call, token);
  let stop = false;
  const loops = Array.from({ length: writers }, async () => {
    while (!stop) await write(call, token).catch(() => (stop = true));
  });
  await new Promise((resolve) => setTimeout(resolve, 50 + Math.random() * 400));
  server.child.kill('SIGKILL');
  await server.exited;
  stop = true;
  await Promise.all(loops);
  end();
  return faults;
}

try {
  const faults = [];
  for (let done = 0; done < cycles; done += 1) faults.push(...(await cycle()));
  const last = start();
  const { call, end } = createCaller(await last.ready);
  const { data } = await call('POST', '/edge/management/v1/authenticate?method=password', { body: credentials });
  faults.push(...(await verify(call, data.token)));
  last.child.kill('SIGKILL');
  end();
  process.stdout.write(
    `${cycles} kills, ${counter} writes started, ${existing.size} identities stored, ${faults.length} faults\n`,
  );
  for (const fault of faults.slice(0, 20)) process.stdout.write(`  ${fault}\n`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  rmSync(dataDir, { recursive: true, force: true });
}
