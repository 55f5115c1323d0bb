import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Controller, ControllerOptions } from '@edge-controller/server';
import { isEdgeApiError } from '../errors/error-guards.ts';
import type { NodeEdgeClient } from '../node/create-node-edge-client.ts';
import { createEdgeClient } from '../node/create-node-edge-client.ts';
import { ControllerRun } from './controller-run.ts';
import { createEventRelay } from './event-relay.ts';
import { startJwtIssuer } from './jwt-issuer.ts';
import { loadServer } from './load-server.ts';
import { passwordCost } from './password-cost.ts';
import { prepareData } from './prepared-data.ts';
import { createTestClock } from './test-clock.ts';
import type { TestController, TestControllerOptions } from './test-controller.ts';
import { createTestIdentities } from './test-identities.ts';
import { createTestRouters } from './test-routers.ts';
import { createTestServices } from './test-services.ts';
import { createTotpCodes } from './totp-codes.ts';

/** A controller with one of these settings makes its own data. */
const ownData = [
  ...(['dataDir', 'databaseUrl', 'redisUrl', 'sealKey', 'adminUsername', 'adminPassword'] as const),
  ...(['address', 'names', 'pkiKeyType', 'trustDomain'] as const),
] as const;

/**
 * Starts a controller in this process, at a free port of this machine, with data of its own. Needs the package
 * `@edge-controller/server` and the Node that it needs. Several controllers may run at the same time.
 *
 * Passwords have cheap hashes, and new controllers of one process begin with the same keys: use it for tests only.
 *
 * @throws Error when the package is missing or Node is too old; StartError of the controller
 * @example
 * await using controller = await startTestController({ sessionTimeout: 60_000 });
 * const ada = await controller.createIdentity();
 * const edge = await ada.signIn();
 */
export async function startTestController(options: TestControllerOptions = {}): Promise<TestController> {
  const { clock, options: clockOptions } = createTestClock();
  const events = createEventRelay();
  const { run, adminPassword } = await startRun(options, clockOptions, events);
  const { url, routersPort, controller } = run.current();
  const routersAddress = `tls:127.0.0.1:${routersPort}`;
  const { caFile } = controller;
  const ca = await readFile(caFile, 'utf8');
  const client: TestController['client'] = (clientOptions = {}) =>
    createEdgeClient(url, {
      ...(clientOptions.fetch === undefined && { ca }),
      ...clientOptions,
      clock: clientOptions.clock ?? clock,
    });
  const adminCredentials = { username: controller.admin.username, password: adminPassword };
  const admin: NodeEdgeClient = client({ reauthenticate: () => admin.signIn.password(adminCredentials) });
  try {
    await signInAdmin(admin, adminCredentials, controller);
  } catch (error) {
    await run.stop();
    throw error;
  }
  const { management } = admin;
  return {
    ...{ url, routersAddress, caFile, ca, admin, adminCredentials, clock, client, events: { on: events.on } },
    ...createTestIdentities({ management, client, clock }),
    createService: createTestServices(management),
    startRouter: createTestRouters({ management, clock, routersAddress, onStop: (stop) => run.onStop(stop) }),
    totp: createTotpCodes(clock),
    async jwtIssuer(issuerOptions = {}) {
      const { issuer, stop } = await startJwtIssuer({ clock, management }, issuerOptions);
      run.onStop(stop);
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
    restart: () => run.restart(),
    [Symbol.asyncDispose]: () => run.stop(),
  };
}

/** Makes the data and starts the controller. */
async function startRun(
  options: TestControllerOptions,
  clockOptions: ReturnType<typeof createTestClock>['options'],
  events: ReturnType<typeof createEventRelay>,
): Promise<{ run: ControllerRun; adminPassword: string }> {
  const { createController } = await loadServer();
  // The default counts for `undefined` (a variable of the environment) and for `null` (no value).
  const isGiven = ([, value]: [string, unknown]) => (value ?? undefined) !== undefined;
  const given: TestControllerOptions = Object.fromEntries(Object.entries(options).filter(isGiven));
  const prepared = ownData.every((name) => given[name] === undefined) ? await prepareData() : null;
  const dataDir = given.dataDir ?? (await mkdtemp(join(tmpdir(), 'edge-test-')));
  const settings = {
    ...{ host: '127.0.0.1', port: 0, routersBind: '127.0.0.1:0' },
    ...{ logLevel: 'silent', signInRate: 0, passwordAttempts: 0, hashQueue: 1_000 },
    ...{ adminUsername: 'admin', adminPassword: prepared?.adminPassword ?? randomUUID(), passwordCost },
    ...given,
    ...{ dataDir, ...clockOptions },
  } satisfies ControllerOptions;

  async function create({ port, routersPort }: { port: number; routersPort: number | null }): Promise<Controller> {
    const routersBind = routersPort === null ? settings.routersBind : withPort(settings.routersBind, routersPort);
    const controller = await createController({ ...settings, port, routersBind });
    events.attach(controller.events);
    return controller;
  }

  async function removeData(): Promise<void> {
    if (given.dataDir === undefined) await rm(dataDir, { recursive: true, force: true });
  }

  try {
    await prepared?.writeTo(dataDir);
    const run = await ControllerRun.start(settings.port, { create, removeData });
    return { run, adminPassword: settings.adminPassword ?? '' };
  } catch (error) {
    await removeData();
    throw error;
  }
}

/** A router finds the controller at the same port after a restart. */
function withPort(bind: string | null, port: number): string | null {
  return bind?.replace(/\d+$/, String(port)) ?? null;
}

async function signInAdmin(
  admin: NodeEdgeClient,
  credentials: TestController['adminCredentials'],
  controller: Controller,
): Promise<void> {
  try {
    await admin.signIn.password(credentials);
  } catch (error) {
    if (!isEdgeApiError(error, 'INVALID_AUTH')) throw error;
    // The data existed before, with an administrator who has another password.
    await controller.resetAdminPassword();
    await admin.signIn.password(credentials);
  }
}
