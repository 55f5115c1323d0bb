// How long lists of API sessions on Redis take, and session checks beside them.
// Usage: node --conditions=source session-lists.ts [sessions=250000] [seconds=5] [another checkout to measure instead]
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createClient } from 'redis';
import { secretToken, sessionId, tokenHash } from '../packages/server/src/core/secrets/ids.ts';
import { createSealer } from '../packages/server/src/core/secrets/sealer.ts';
import { memberText, redisKeys } from '../packages/server/src/storage/session-store/redis/keys.ts';
import { createRecordCodec } from '../packages/server/src/storage/session-store/redis/stored-record.ts';
import { call, sessionPath } from './call.ts';
import { load } from './load.ts';
import { createProcesses } from './processes.ts';
import { median } from './rounds.ts';
import type { Server } from './servers.ts';
import { startController } from './servers.ts';

const sessions = Number(process.argv[2] ?? 250_000);
const seconds = Number(process.argv[3] ?? 5);
const checkout = resolve(process.argv[4] ?? join(import.meta.dirname, '..'));
const timeout = 30 * 60_000;
const identities = 25;
const batch = 1_000;
const management = '/edge/management/v1';

const say = (line: string) => process.stdout.write(`${line}\n`);

async function addIdentities({ url, token }: Server): Promise<readonly string[]> {
  const ids: string[] = [];
  for (let at = 0; at < identities; at += 1) {
    const body = JSON.stringify({ name: `user ${at}`, type: 'User', isAdmin: false });
    ids.push(JSON.parse((await call(`${url}${management}/identities`, { token, body })).text).data.id);
  }
  return ids;
}

/**
 * Writes sessions as a version without the index by time of creation wrote them, so that the controller has to build it.
 */
async function fill(redisUrl: string, sealKey: Buffer, identityIds: readonly string[]): Promise<void> {
  const client = await createClient({ url: redisUrl }).connect();
  const keys = redisKeys('edge:');
  const sealer = createSealer(sealKey);
  const codec = createRecordCodec(sealer);
  const now = Date.now();
  const sessionAt = (at: number) => {
    const [id, token] = [sessionId(Date.now()), secretToken()];
    const identityId = identityIds[at % identityIds.length] ?? '';
    const createdAt = now - ((at * 7_919) % 86_400_000);
    return {
      ...{ id, tokenHash: tokenHash(token), sealedToken: sealer.seal(token, id), identityId },
      ...{
        authenticatorId: `of${identityId}`,
        credentialVersion: 0,
        method: 'password' as const,
        ipAddress: `192.0.2.${at % 250}`,
        configTypes: [],
      },
      ...{
        createdAt,
        updatedAt: createdAt,
        isMfaRequired: false,
        isMfaComplete: at % 1_000 === 0,
        mfaId: null,
        mfaPassedAt: null,
        tokenReadBy: null,
        usesRouters: false,
        endsAt: null,
      },
      ...{ caId: null, caVersion: 0, signerId: null, signerVersion: 0, isCertExtendable: false },
      improperClientCertChain: false,
    };
  };
  for (let at = 0; at < sessions; at += batch) {
    const written = Array.from({ length: Math.min(batch, sessions - at) }, (_, more) => sessionAt(at + more));
    const members = (score: number, of = written) => of.map((session) => ({ score, value: memberText(session) }));
    await Promise.all([
      client.zAdd(keys.expiry, members(now + timeout)),
      client.zAdd(keys.ids, members(0)),
      ...[...Map.groupBy(written, ({ identityId }) => identityId)].map(([identityId, own]) =>
        client.zAdd(keys.identity(identityId), members(0, own)),
      ),
      ...written.flatMap((session) => {
        const key = keys.session(session.tokenHash);
        return [client.hSet(key, 'record', codec.write({ ...session, timeout })), client.pExpire(key, timeout)];
      }),
    ]);
  }
  // The controller may have begun to build it meanwhile.
  await client.del(keys.created);
  await client.close();
}

async function usedMemory(redisUrl: string): Promise<number> {
  const client = await createClient({ url: redisUrl }).connect();
  const [, bytes] = /used_memory:(\d+)/.exec(await client.info('memory')) ?? [];
  await client.close();
  return Number(bytes) / 1e6;
}

interface Listed {
  readonly milliseconds: number;
  readonly status: string;
}

async function list({ url, token }: Server, query: Readonly<Record<string, string>>): Promise<Listed> {
  const startedAt = performance.now();
  const done = (status: string) => ({ milliseconds: performance.now() - startedAt, status });
  return call(`${url}${management}/api-sessions?${new URLSearchParams(query)}`, { token }).then(
    ({ text }) => done(`${JSON.parse(text).meta.pagination.totalCount} in all`),
    (error: Error) => done(error.message.slice(0, 3)),
  );
}

/** The p99 of session checks while `work` runs again and again, or alone. */
async function checksBeside({ url, token }: Server, work?: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  const repeat = async () => {
    while (work && !isOver) await work();
  };
  const repeating = repeat();
  const { p99 } = await load({ url: url + sessionPath, token, seconds, connections: 4 });
  isOver = true;
  await repeating;
  return p99;
}

await using processes = createProcesses();
const redis = await processes.startRedis();
const server = await startController(processes, { name: 'lists', redis, checkout });
const identityIds = await addIdentities(server);
const empty = await usedMemory(redis);
const sealKey = readFileSync(join(processes.directory, 'lists/keys/seal.key'), 'utf8');
await fill(redis, Buffer.from(sealKey, 'base64'), identityIds);
const filled = await usedMemory(redis);
const startedAt = performance.now();
let first = await list(server, { sort: 'createdAt desc', limit: '100' });
const firstStatus = first.status;
for (let tries = 0; tries < 60 && !first.status.includes('in all'); tries += 1) {
  first = await list(server, { sort: 'createdAt desc', limit: '100' });
}
say(`first list by creation: ${firstStatus}; the first page after ${(performance.now() - startedAt).toFixed(0)} ms`);
const indexed = await usedMemory(redis);
say(
  `Redis: ${(((filled - empty) * 1e3) / sessions).toFixed(2)} KB per session, with the index by creation ${(((indexed - empty) * 1e3) / sessions).toFixed(2)} KB`,
);

const identity = `identity = "${identityIds[0]}"`;
const lists: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'by id': {},
  'by id, offset 100000': { offset: '100000' },
  'newest first': { sort: 'createdAt desc' },
  'newest first, offset 100000': { sort: 'createdAt desc', offset: '100000' },
  'oldest first, offset 100000': { sort: 'createdAt', offset: '100000' },
  'of an identity': { filter: identity },
  'of an identity, newest first': { filter: identity, sort: 'createdAt desc' },
  'created in the last minute': { filter: `createdAt > datetime(${new Date(Date.now() - 60_000).toISOString()})` },
  'MFA complete': { filter: 'mfaComplete' },
  'by last activity': { sort: 'lastActivityAt desc' },
};

say('pages of 100, medians of 3: time, CPU time of the server; its peak memory so far');
for (const [name, query] of Object.entries(lists)) {
  const times: number[] = [];
  const cpuTimes: number[] = [];
  let status = '';
  for (let round = 0; round < 3; round += 1) {
    const before = await server.cpu();
    const listed = await list(server, { ...query, limit: '100' });
    times.push(listed.milliseconds);
    cpuTimes.push(((await server.cpu()) - before) / 1_000);
    status = listed.status;
  }
  const [time, cpu] = [median(times), median(cpuTimes)].map((value) => `${value.toFixed(0).padStart(6)} ms`);
  say(`${name.padEnd(30)} ${time} ${cpu} ${(await server.peakMemory()).toFixed(0).padStart(5)} MB  ${status}`);
}

await checksBeside(server);
say('p99 of session checks beside one list after another, 4 connections');
const sayP99 = (name: string, p99: number) => say(`${name.padEnd(30)} ${p99.toFixed(1).padStart(6)} ms`);
sayP99('alone', await checksBeside(server));
for (const [name, query] of Object.entries(lists)) {
  sayP99(name, await checksBeside(server, () => list(server, { ...query, limit: '100' })));
}
