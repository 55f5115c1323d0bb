import type { RequestListener } from 'node:http';
import { join, resolve } from 'node:path';
import type { TlsOptions, Server as TlsServer } from 'node:tls';
import type Koa from 'koa';
import { defaultSettings, requireStrictTransport } from './core/config/load.ts';
import type { Settings } from './core/config/schema.ts';
import { settingsTable } from './core/config/schema.ts';
import type { SettingsChange } from './core/config/settings-change.ts';
import { changeSettings } from './core/config/settings-change.ts';
import { shownSettings } from './core/config/shown-settings.ts';
import type { EventBus } from './core/events/bus.ts';
import type { ControllerEvent } from './core/events/events.ts';
import { createLogger } from './core/log/create-logger.ts';
import type { Logger } from './core/log/log.ts';
import type { HashParameters } from './core/secrets/password-hash.ts';
import { openDirectory } from './core/start/file-problem.ts';
import type { Clock, Machine } from './core/time/clock.ts';
import { systemClock, thisMachine } from './core/time/clock.ts';
import type { AdminReset, DefaultAdmin } from './credentials/default-admin.ts';
import { ensureDefaultAdmin, resetDefaultAdminPassword } from './credentials/default-admin.ts';
import { findOpenPolicies } from './credentials/sign-in-rules/open-policies.ts';
import { checkEntities } from './crud/check-entities.ts';
import type { Dependencies } from './dependencies.ts';
import { closeDependencies, createDependencies, openData } from './dependencies.ts';
import { build } from './documents/info/version.ts';
import { createApp } from './handlers.ts';
import { browserAddressOf, createBrowserListener } from './http/browser-listener.ts';
import { openConsole } from './http/console/open-console.ts';
import { guardServer } from './http/guard-server.ts';
import { Listeners } from './http/listeners.ts';
import { recordRefusedConnections } from './http/refused-connection.ts';
import { tlsOptions } from './http/tls-options.ts';
import { openPolicyFindings } from './operate/doctor/sign-in-findings.ts';
import { settingsTransportFindings, signersTransportFindings } from './operate/doctor/transport-findings.ts';
import { createLoggedEvents } from './operate/log-events.ts';
import { openTelemetry } from './operate/open-telemetry.ts';
import { createOperations } from './operate/operations.ts';
import { startUpkeep } from './operate/upkeep.ts';
import { keepPkiValid } from './pki/keep-valid.ts';
import type { RouterPort } from './routers/router-port.ts';
import { createRouterPort } from './routers/router-port.ts';
import { readJwksEndpoints } from './storage/entity-store/entity-probe.ts';
import type { Stores } from './storage/open-stores.ts';

/** Settings that differ from the defaults. `log` writes the log lines (default: to standard error). */
export interface ControllerOptions extends Partial<Settings> {
  readonly log?: Logger;
  /** Returns the time in milliseconds since 1970. Default: the clock of the machine. */
  readonly clock?: Clock;
  /**
   * The clocks that measure how long API sessions and the keys of external signers live. With Redis, the server of Redis
   * measures the sessions. Default: the clocks of this machine, which nobody can set. For tests that let time pass.
   */
  readonly machine?: Machine;
  /** The cost of a password hash. Default: the minimum that OWASP recommends. Tests may use a lower one. */
  readonly passwordCost?: HashParameters;
  /**
   * False for a command that changes data while another controller serves with the same data directory. Default: true, and
   * with SQLite a second controller is refused.
   */
  readonly serves?: boolean;
  /**
   * Directory with the files of the web console, `index.html` at its top. They are read once, at the start. Default: the
   * console that comes with this package. It is served only if `consoleEnabled` is true.
   */
  readonly consoleDir?: string;
}

/** A controller in this process. */
export interface Controller {
  readonly settings: Settings;
  /** Emits what happens in the controller; see `docs/events.md`. */
  readonly events: EventBus;
  /** File with the CA certificates that clients trust. */
  readonly caFile: string;
  /** The default administrator; `generatedPassword` only on the first start without a configured password. */
  readonly admin: DefaultAdmin;
  /**
   * The Koa application. Middleware that is added before `listen()` runs for every request, before the operations: it may
   * respond itself, or change the response after `await next()`.
   */
  readonly app: Koa;
  /** The application as a request listener, for an HTTPS server of your own made with `tlsOptions`. */
  callback(): RequestListener;
  /**
   * The application as one middleware, for a Koa application of your own. It serves the paths below `/edge/`,
   * `/fabric/v1/` and `/.well-known/est/`, and below `/console/` with `consoleEnabled`; all others go on to the next
   * middleware, untouched.
   */
  middleware(): Koa.Middleware;
  /**
   * The TLS options of a server of your own: the present server certificate, and what makes sign-in with client
   * certificates possible. On the event `controller.certificateChanged`, pass them to `server.setSecureContext`. You may replace
   * `key` and `cert`. All other members must stay, and nothing but the controller may read the certificate of the client:
   * Node shows the whole chain only once.
   */
  readonly tlsOptions: Readonly<TlsOptions>;
  /**
   * Puts the controller's guard before the TLS handshakes of a server of your own; call it before `server.listen()`. Without
   * it a client can stop the process for a second with one handshake, and the order in which it sends its certificates may
   * matter. `listen()` does this for its own server.
   *
   * @example
   * import { createServer } from 'node:https';
   * import { createController } from '@edge-controller/server';
   *
   * const controller = await createController();
   * const server = createServer({ ...controller.tlsOptions }, controller.callback());
   * controller.guardHandshakes(server);
   * server.listen(443);
   */
  guardHandshakes(server: TlsServer): void;
  /** Serves HTTPS; resolves when connections are accepted. */
  listen(): Promise<{
    readonly url: string;
    readonly port: number;
    /** The port of the listener for browsers. `null`: there is none. */
    readonly browserPort: number | null;
    /** The port for edge routers. `null`: no router can connect. */
    readonly routersPort: number | null;
    /** The port of the operations listener. `null`: there is none. */
    readonly operationsPort: number | null;
  }>;
  /**
   * Takes new settings while it serves, as far as that is possible, and reads the files of the PKI again. Settings that are not
   * given stay as they are. The log says which have changed, and which need a restart.
   *
   * @example
   * import { createController, loadSettings } from '@edge-controller/server';
   *
   * const controller = await createController(loadSettings());
   * const { needRestart } = await controller.reload(loadSettings());
   */
  reload(settings: Partial<Settings>): Promise<SettingsChange>;
  /**
   * Gives the default administrator access again: sets the configured or a generated password, enables the identity,
   * removes its TOTP and ends its API sessions. Where nothing is left to enable, it is created again.
   */
  resetAdminPassword(): Promise<AdminReset>;
  /**
   * Completes the requests that have begun, then releases everything. May be called twice.
   *
   * @param drainTime milliseconds that the requests may take. Default: 10,000
   */
  close(drainTime?: number): Promise<void>;
}

const defaultDrainTime = 10_000;

/**
 * Opens the stores, the PKI and the default administrator; nothing is served before `listen()`.
 *
 * @throws StartError with all problems of the data directory, its files and the stores
 *
 * @example
 * const controller = await createController({ port: 0, dataDir: './data', adminPassword: 'a long password' });
 * const { url } = await controller.listen();
 */
export async function createController(options: ControllerOptions = {}): Promise<Controller> {
  const { settings, log, clock, machine, passwordCost, serves, consoleDir } = withDefaults(options);
  const dataDir = resolve(settings.dataDir);
  openDirectory(dataDir);
  const events = createLoggedEvents(log);
  const listeners = new Listeners();
  const apiAddress = () => settings.address ?? `localhost:${listeners.port ?? settings.port}`;
  const webConsole = settings.consoleEnabled && serves ? await openConsole(consoleDir, log) : null;
  const telemetry = await openTelemetry(settings, { events, log });
  const basics = { clock, machine, log, meter: telemetry.meter };
  const { pki, stores, browserKeys } = await openData(settings, { ...basics, dataDir, serves });
  const dependencies = createDependencies({ ...basics, settings, stores, pki, events, passwordCost, apiAddress });
  const admin = await prepare(dependencies, { stores, serves, log });

  const onRefused = recordRefusedConnections(events, log);
  const browser = createBrowserListener(settings, { keys: browserKeys, clock, log });
  const browserAddress = () => browserAddressOf(settings, { apiAddress, browser });
  const http = createApp(dependencies, { stores, pki, apiAddress, browserAddress, telemetry, webConsole, log });
  const operations = createOperations({ dependencies, pki, telemetry, log, listeners });
  const tls = () => ({ key: pki.current.serverKeyPem, cert: pki.current.serverCertChainPem });
  const onServerChange = () => {
    for (const server of [listeners, routerPort]) server?.renew(tls());
    dependencies.routerNetwork.changed();
    const payload = { fingerprint: pki.current.serverKid };
    recordChange(dependencies, { name: 'controller.certificateChanged', payload }, log);
  };
  const routerPort = openRouterPort(dependencies, { tls, log, meter: telemetry.meter, onRefused });
  const others = { routerPort, browser, operations };
  const renewal = keepPkiValid({ pki, clock, log, onServerChange });
  const stopUpkeep = startUpkeep(dependencies, { log, serves });
  const release = async () => {
    renewal.stop();
    await closeDependencies(dependencies);
    await routerPort?.close();
    await stopUpkeep();
    await stores.close();
    await telemetry.traces?.close();
  };

  return {
    settings,
    events,
    caFile: join(dataDir, 'pki', 'ca.pem'),
    admin,
    app: http.app,
    callback: () => http.app.callback(),
    middleware: http.middleware,
    get tlsOptions() {
      return tlsOptions(tls());
    },
    guardHandshakes: (server) => guardServer(server, onRefused),
    listen: () => {
      const { host, port } = settings;
      return listeners.listen({ handle: http.app.callback(), tls: tls(), log, onRefused, host, port }, others);
    },
    reload: (next) => reload(next, { dependencies, log, renewals: [renewal, browser] }),
    resetAdminPassword: () => resetDefaultAdminPassword(dependencies),
    close: (drainTime = defaultDrainTime) => listeners.close(drainTime, release),
  };
}

function withDefaults({
  log,
  clock = systemClock,
  machine = thisMachine,
  serves = true,
  ...options
}: ControllerOptions) {
  const { passwordCost, consoleDir, ...given } = options;
  const settings: Settings = { ...defaultSettings(), ...given };
  requireStrictTransport(settings, () => 'the options of createController');
  const logger = log ?? createLogger({ level: settings.logLevel });
  return { settings, log: logger, clock, machine, passwordCost, serves, consoleDir };
}

async function warnOfRisks({ settings, database }: Dependencies, log: Logger): Promise<void> {
  const ofSigners = signersTransportFindings(await readJwksEndpoints(database.db));
  const ofPolicies = openPolicyFindings(await findOpenPolicies(database.db));
  const findings = [...settingsTransportFindings(settings), ...ofSigners, ...ofPolicies];
  for (const { message, fix } of findings) log.warn({ fix }, message);
}

interface Reloaded {
  readonly dependencies: Dependencies;
  readonly log: Logger;
  readonly renewals: readonly ({ refresh(): Promise<void> } | null)[];
}

async function reload(next: Partial<Settings>, { dependencies, log, renewals }: Reloaded): Promise<SettingsChange> {
  const { settings } = dependencies;
  const change = changeSettings(settings, next);
  const { changed, needRestart } = change;
  if (changed.some(({ setting }) => setting === settingsTable.logLevel.key)) log.level = settings.logLevel;
  log.info({ changed, needRestart }, 'settings were read again');
  if (needRestart.length > 0) log.warn({ needRestart }, 'settings have changed that need a restart');
  const payload = { changed: changed.map(({ setting }) => setting), needRestart: [...needRestart] };
  recordChange(dependencies, { name: 'controller.settingsReloaded', payload }, log);
  for (const renewal of renewals) await renewal?.refresh();
  return change;
}

function openRouterPort(
  dependencies: Dependencies,
  options: Omit<Parameters<typeof createRouterPort>[1], 'bind'>,
): RouterPort | null {
  const bind = dependencies.settings.routersBind;
  return bind === null ? null : createRouterPort(dependencies, { bind, ...options });
}

/** Emits an event of the controller itself, whether or not the audit log can be written. */
function recordChange({ audit, events }: Dependencies, event: ControllerEvent, log: Logger): void {
  events.emit(event.name, event.payload);
  const onError = (error: unknown) => log.warn({ err: error, event: event.name }, 'an event is not in the audit log');
  audit.write({}, event).catch(onError);
}

async function prepare(
  dependencies: Dependencies,
  { stores, serves, log }: { readonly stores: Stores; readonly serves: boolean; readonly log: Logger },
): Promise<DefaultAdmin> {
  try {
    await checkEntities(dependencies.definitions, dependencies.database);
    // After a crash between a commit and its effects, the effects come first.
    await dependencies.outbox.drain();
    if (serves) {
      const settings = shownSettings(dependencies.settings);
      await dependencies.audit.publish({}, 'controller.started', { version: build.version, settings });
      await warnOfRisks(dependencies, log);
    }
    return await ensureDefaultAdmin(dependencies);
  } catch (error) {
    // Open stores would keep the process alive.
    await stores.close();
    throw error;
  }
}
