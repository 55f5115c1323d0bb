import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Controller, ControllerOptions } from '@edge-controller/server';
import { isEdgeApiError } from '../error-guards.ts';
import type { NodeEdgeClient } from '../node/create-node-edge-client.ts';
import { createEdgeClient } from '../node/create-node-edge-client.ts';
import { createEventRelay } from './event-relay.ts';
import { startJwtIssuer } from './jwt-issuer.ts';
import { loadServer } from './load-server.ts';
import { passwordCost } from './password-cost.ts';
import { prepareData } from './prepared-data.ts';
import { createTestClock } from './test-clock.ts';
import type { TestController, TestControllerOptions } from './test-controller.ts';
import { createTestIdentities } from './test-identities.ts';
import { createTotpCodes } from './totp-codes.ts';

/** A controller with one of these settings makes its own data. */
const ownData = [
  ...(['dataDir', 'databaseUrl', 'redisUrl', 'sealKey', 'adminUsername', 'adminPassword'] as const),
  ...(['address', 'names', 'pkiKeyType', 'trustDomain'] as const),
] as const;
/** Milliseconds that requests may take when the controller restarts. */
const restartDrain = 100;

/**
 * Starts a controller in this process, at a free port of this machine, with data of its own. Needs the package
 * `@edge-controller/server` and the Node that it needs. Several controllers may run at the same time.
 *
 * Passwords have cheap hashes, and new controllers of one process begin with the same keys: use it for tests only.
 *
 * @throws Error when the package is missing; StartError of the controller
 * @example
 * await using controller = await startTestController({ sessionTimeout: 60_000 });
 * const ada = await controller.createIdentity();
 * const edge = await ada.signIn();
 */
export async function startTestController(options: TestControllerOptions = {}): Promise<TestController> {
  const { createController } = await loadServer();
  // The default counts for `undefined` (a variable of the environment) and for `null` (no value).
  const isGiven = ([, value]: [string, unknown]) => (value ?? undefined) !== undefined;
  const given: TestControllerOptions = Object.fromEntries(Object.entries(options).filter(isGiven));
  const isTemporary = given.dataDir === undefined;
  const prepared = ownData.every((name) => given[name] === undefined) ? await prepareData() : null;
  const dataDir = given.dataDir ?? (await mkdtemp(join(tmpdir(), 'edge-test-')));
  const { clock, options: clockOptions } = createTestClock();
  const settings = {
    ...{ host: '127.0.0.1', port: 0, logLevel: 'silent', signInRate: 0, hashQueue: 1_000 },
    ...{
      adminUsername: 'admin',
      adminPassword: prepared?.adminPassword ?? randomUUID(),
      passwordCost,
      ...given,
      dataDir,
      ...clockOptions,
    },
  } satisfies ControllerOptions;
  const events = createEventRelay();
  const stops: (() => Promise<void>)[] = [];

  async function open(port: number): Promise<{ controller: Controller; url: string; port: number }> {
    const controller = await createController({ ...settings, port });
    events.attach(controller.events);
    try {
      return { controller, ...(await controller.listen()) };
    } catch (error) {
      await controller.close(0);
      throw error;
    }
  }

  async function removeData(): Promise<void> {
    if (isTemporary) await rm(dataDir, { recursive: true, force: true });
  }

  let running: Awaited<ReturnType<typeof open>>;
  try {
    await prepared?.writeTo(dataDir);
    running = await open(settings.port);
  } catch (error) {
    await removeData();
    throw error;
  }
  const { url } = running;
  const { caFile } = running.controller;
  const ca = await readFile(caFile, 'utf8');
  const client: TestController['client'] = (clientOptions = {}) =>
    createEdgeClient(url, clientOptions.fetch === undefined ? { ca, ...clientOptions } : clientOptions);
  const adminCredentials = { username: running.controller.admin.username, password: settings.adminPassword ?? '' };
  const admin: NodeEdgeClient = client({ reauthenticate: () => admin.signIn.password(adminCredentials) });

  async function signInAdmin(): Promise<void> {
    try {
      await admin.signIn.password(adminCredentials);
    } catch (error) {
      if (!isEdgeApiError(error, 'INVALID_AUTH')) throw error;
      // The data existed before, with an administrator who has another password.
      await running.controller.resetAdminPassword();
      await admin.signIn.password(adminCredentials);
    }
  }

  let isStopped = false;
  let last: Promise<unknown> = Promise.resolve();
  /** A restart and the disposal at the same time run one after the other. */
  function inTurn(run: () => Promise<void>): Promise<void> {
    const turn = last.then(run);
    last = turn.catch(() => undefined);
    return turn;
  }

  async function restart(): Promise<void> {
    if (isStopped) throw new Error('the test controller was stopped');
    await running.controller.close(restartDrain);
    running = await open(running.port);
  }

  async function stop(): Promise<void> {
    if (isStopped) return;
    isStopped = true;
    await Promise.all(stops.splice(0).map((each) => each()));
    await running.controller.close(0);
    await removeData();
  }

  try {
    await signInAdmin();
  } catch (error) {
    await stop();
    throw error;
  }
  const { management } = admin;
  return {
    ...{ url, caFile, ca, admin, adminCredentials, clock, client, events: { on: events.on } },
    ...createTestIdentities({ management, client, clock }),
    totp: createTotpCodes(clock),
    async jwtIssuer(issuerOptions = {}) {
      const { issuer, stop: stopIssuer } = await startJwtIssuer({ clock, management }, issuerOptions);
      stops.push(stopIssuer);
      return issuer;
    },
    async revokeSessions(identity) {
      const own = (await admin.client.currentApiSession.get()).id;
      const found: string[] = [];
      for await (const { id, identityId } of admin.pages(management.apiSessions.list)) {
        if (identity ? identityId === identity.id : id !== own) found.push(id);
      }
      await Promise.all(found.map((id) => management.apiSessions.delete(id)));
    },
    restart: () => inTurn(restart),
    [Symbol.asyncDispose]: () => inTurn(stop),
  };
}
