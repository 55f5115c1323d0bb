// Tells whether a stopwatch can tell who exists. Usage: node --conditions=source timing.ts [pairs=2000] [at once=8]
import { fork } from 'node:child_process';
import { randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const pairs = Number(process.argv[2] ?? 2_000);
const atOnce = Number(process.argv[3] ?? 8);
/** How far from 0.5 an AUC may be. */
const tolerance = 0.05;
const management = '/edge/management/v1';
const admin = { username: 'admin', password: 'a password of the admin' };
const password = 'a password of a user';

const work = mkdtempSync(join(tmpdir(), 'edge-timing-'));
const child = fork(join(import.meta.dirname, 'controller.ts'), {
  env: { ...process.env, BENCH_DATA: work },
  execArgv: ['--conditions=source', '--no-warnings'],
  stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
});
// Every refusal is a log line; whatever else it says is worth seeing.
child.stderr?.on('data', (chunk: Buffer) => {
  const lines = chunk.toString().split('\n');
  for (const line of lines) if (line !== '' && !line.startsWith('{')) process.stderr.write(`${line}\n`);
});

interface HttpResponse {
  readonly status: number;
  readonly text: string;
  readonly milliseconds: number;
}

function connect(url: string) {
  const agent = new Agent({ ca: readFileSync(join(work, 'pki/ca.pem')), keepAlive: true, maxSockets: atOnce });
  const send = (method: string, path: string, { token, body }: { token?: string; body?: object } = {}) =>
    new Promise<HttpResponse>((resolve, reject) => {
      const payload = JSON.stringify(body ?? {});
      const headers = {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(payload),
        ...(token ? { 'svc-session': token } : {}),
      };
      const startedAt = performance.now();
      const outgoing = request(url + path, { method, agent, headers }, (incoming) => {
        const milliseconds = performance.now() - startedAt;
        let text = '';
        incoming.on('data', (chunk) => (text += chunk));
        incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, text, milliseconds }));
      });
      outgoing.on('error', reject);
      outgoing.end(payload);
    });
  const signIn = (username: string, given: string) =>
    send('POST', '/edge/client/v1/authenticate?method=password', { body: { username, password: given } });
  return { agent, send, signIn };
}

type Connection = ReturnType<typeof connect>;

/** Kind of refusal → user name; none for the user that nobody has. */
async function addUsers({ send, signIn }: Connection): Promise<Readonly<Record<string, string | null>>> {
  const { token } = JSON.parse((await signIn(admin.username, admin.password)).text).data;
  const create = async (path: string, body: object): Promise<string> => {
    const { status, text } = await send('POST', management + path, { token, body });
    if (status !== 201) throw new Error(`${path} responded with ${status}: ${text}`);
    return JSON.parse(text).data.id;
  };
  const addPolicy = (name: string, maxAttempts: number) => {
    const rules = { requireSpecialChar: false, requireNumberChar: false, requireMixedCase: false };
    const updb = { ...rules, allowed: true, minPasswordLength: 5, maxAttempts, lockoutDurationMinutes: 0 };
    const cert = { allowed: false, allowExpiredCerts: false };
    const primary = { cert, extJwt: { allowed: false, allowedSigners: [] }, updb };
    return create('/auth-policies', { name, primary, secondary: { requireTotp: false } });
  };
  const addUser = async (username: string, authPolicyId = 'default') => {
    const identityId = await create('/identities', { name: username, type: 'User', isAdmin: false, authPolicyId });
    await create('/authenticators', { method: 'updb', identityId, username, password });
    return identityId;
  };
  await addUser('uncounted');
  await addUser('counted', await addPolicy('counting', 1_000_000));
  await addUser('locked', await addPolicy('strict', 1));
  await signIn('locked', 'a wrong password');
  const disabled = await addUser('disabled');
  await send('POST', `${management}/identities/${disabled}/disable`, { token, body: { durationMinutes: 0 } });
  return {
    'unknown user': null,
    'wrong password': 'uncounted',
    'wrong password, counted': 'counted',
    'locked identity': 'locked',
    'disabled identity': 'disabled',
  };
}

/** Every kind once per round, in an order of chance, some at once. */
async function measure({ signIn }: Connection, users: Readonly<Record<string, string | null>>) {
  const times = new Map(Object.keys(users).map((kind) => [kind, [] as number[]]));
  const turns = Array.from({ length: pairs }, () => shuffled(Object.entries(users))).flat();
  const worker = async () => {
    for (let turn = turns.pop(); turn; turn = turns.pop()) {
      const [kind, username] = turn;
      // As long as the others, and never the same twice.
      const name = username ?? randomUUID().slice(0, 8);
      const { status, text, milliseconds } = await signIn(name, password.replace('user', 'gues'));
      if (status !== 401) throw new Error(`${kind} responded with ${status}: ${text}`);
      times.get(kind)?.push(milliseconds);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return times;
}

function shuffled<T>(items: T[]): T[] {
  const keyed = items.map((item) => ({ item, key: randomInt(2 ** 32) }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}

/** The chance that one of `b` is greater than one of `a` (Mann-Whitney U over the number of pairs); equal ones count half. */
function auc(a: readonly number[], b: readonly number[]): number {
  const sorted = a.toSorted((x, y) => x - y);
  const below = (value: number, orEqual: boolean) => {
    let [low, high] = [0, sorted.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const at = sorted[middle] ?? Number.POSITIVE_INFINITY;
      if (at < value || (orEqual && at === value)) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const wins = b.reduce((sum, value) => sum + (below(value, false) + below(value, true)) / 2, 0);
  return wins / (a.length * b.length);
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

const say = (line: string) => process.stdout.write(`${line}\n`);

try {
  const ended = once(child, 'exit').then(() => Promise.reject(new Error('the controller ended')));
  const [{ url }] = (await Promise.race([once(child, 'message'), ended])) as [{ url: string }];
  ended.catch(() => undefined);
  const connection = connect(url);
  const times = await measure(connection, await addUsers(connection));
  connection.agent.destroy();
  const [[reference, unknown] = ['', []], ...others] = times;
  say(`refused sign-ins compared with "${reference}" (median ${median(unknown).toFixed(1)} ms), ${pairs} pairs each`);
  for (const [kind, values] of others) {
    const area = auc(unknown, values);
    const difference = median(values) - median(unknown);
    const isAlike = Math.abs(area - 0.5) <= tolerance;
    if (!isAlike) process.exitCode = 1;
    say(
      `${kind.padEnd(24)} AUC ${area.toFixed(3)}  median ${difference >= 0 ? '+' : ''}${difference.toFixed(2)} ms  ${isAlike ? 'alike' : 'DIFFERENT'}`,
    );
  }
} finally {
  child.kill('SIGKILL');
  rmSync(work, { recursive: true, force: true });
}
