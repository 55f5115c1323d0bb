import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject } from 'vitest';
import type { Controller, ControllerOptions } from '../../src/index.ts';
import { createController, createLogger } from '../../src/index.ts';
import './hash-cost.ts';
import { danglingInFile } from './dangling.ts';
import { addMigratedFile, migratedDatabase } from './migrated-database.ts';
import { observeResponses } from './observe-responses.ts';
import { freshRedis } from './redis.ts';
import type { Wire } from './request.ts';
import { createWire } from './request.ts';

export const adminCredentials = { username: 'admin', password: 'correct horse battery' };

/** Where a controller under test keeps its data. */
export interface StorePair {
  readonly stores: string;
  readonly open: () => Promise<ControllerOptions>;
}

/** Files of the controller's own. */
export const embeddedStores: StorePair = { stores: 'SQLite, SQLite', open: async () => ({}) };

/** Servers that more controllers may use. */
export const sharedStores: StorePair = {
  stores: 'PostgreSQL, Redis',
  open: async () => ({ databaseUrl: await migratedDatabase(), redisUrl: await freshRedis(inject('redisUrl')) }),
};

/** `embedded` in `npm test`, `shared` in what `npm run test:all -- --rest` runs after it, else both. */
const chosen = process.env.EDGE_TEST_STORES;

/** For behaviour above the stores. `npm test` takes the embedded ones, `npm run test:all` both. */
export const storePairs: readonly StorePair[] = [
  ...(chosen === 'shared' ? [] : [embeddedStores]),
  ...(chosen === 'embedded' ? [] : [sharedStores]),
];

/** For behaviour in which the stores have a part: sessions and their ends, races, outages, replicas. Both in each run. */
export const everyStorePair: readonly StorePair[] = chosen === 'shared' ? [] : [embeddedStores, sharedStores];

export interface TestController extends AsyncDisposable {
  readonly controller: Controller;
  readonly url: string;
  /** Of the operations listener, if `operationsBind` asks for one. */
  readonly operationsUrl: string;
  /** Of the listener for browsers, if `browserBind` asks for one. */
  readonly browserUrl: string;
  readonly caFile: string;
  readonly wire: Wire;
  readonly options: ControllerOptions;
  /** Signs in and returns the token. */
  signIn(credentials?: { username: string; password: string }): Promise<string>;
  /** An identity that can sign in with the returned credentials. */
  addUser(token: string, options?: { isAdmin?: boolean }): Promise<{ id: string; username: string; password: string }>;
}

let users = 0;

/** What a first start has to do takes most of its time, and no test has to wait for the migrations again. */
async function freshDataDir({ databaseUrl }: ControllerOptions): Promise<string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-controller-'));
  if (databaseUrl === undefined) await addMigratedFile(dataDir);
  return dataDir;
}

async function addUser({ wire, token, isAdmin }: { wire: Wire; token: string; isAdmin: boolean }) {
  users += 1;
  const username = `user-${users}-${Math.random().toString(36).slice(2)}`;
  const password = 'a password of a user';
  const created = await wire('POST', '/edge/management/v1/identities', {
    token,
    body: { name: username, type: 'User', isAdmin, enrollment: { updb: username } },
  });
  const { id } = created.body.data;
  const detail = await wire('GET', `/edge/management/v1/identities/${id}`, { token });
  const once = detail.body.data.enrollment.updb.token;
  const enrolled = await wire('POST', `/edge/client/v1/enroll?method=updb&token=${once}`, { body: { password } });
  if (enrolled.status !== 200) throw new Error(`enrollment answered ${enrolled.status}: ${enrolled.text}`);
  return { id, username, password };
}

/**
 * A running controller on a free port with its own data; limits by address are off unless asked for. Password hashes are
 * quick ones, see `useSlowHashes`.
 */
export async function startController(options: ControllerOptions = {}): Promise<TestController> {
  const dataDir = options.dataDir ?? (await freshDataDir(options));
  const controller = await createController({
    host: '127.0.0.1',
    port: 0,
    signInRate: 0,
    hashQueue: 1_000,
    adminUsername: adminCredentials.username,
    adminPassword: adminCredentials.password,
    log: createLogger({ level: 'silent' }),
    ...options,
    dataDir,
  });
  observeResponses(controller);
  const { url, browserPort, operationsPort } = await controller.listen();
  const wire = createWire(url, controller.caFile);
  const close = () => {
    const closed = controller.close();
    wire.closeIdle();
    return closed;
  };
  return {
    controller: { ...controller, close },
    url,
    browserUrl: `https://localhost:${browserPort}`,
    operationsUrl: `http://127.0.0.1:${operationsPort}`,
    caFile: controller.caFile,
    wire,
    options: { ...options, dataDir },
    async signIn(credentials = adminCredentials) {
      const answer = await wire('POST', '/edge/management/v1/authenticate?method=password', { body: credentials });
      if (answer.status !== 200) throw new Error(`sign-in answered ${answer.status}: ${answer.text}`);
      return answer.body.data.token;
    },
    addUser: (token, { isAdmin = false } = {}) => addUser({ wire, token, isAdmin }),
    async [Symbol.asyncDispose]() {
      await close();
      expect(danglingInFile(dataDir)).toEqual([]);
      if (!options.dataDir) rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
