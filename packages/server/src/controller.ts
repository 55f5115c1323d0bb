import type { RequestListener } from 'node:http';
import { join, resolve } from 'node:path';
import type { TlsOptions, Server as TlsServer } from 'node:tls';
import type Koa from 'koa';
import type { ControllerOptions } from './controller-options.ts';
import { defaultSettings, requireStrictTransport } from './core/config/load.ts';
import type { Settings } from './core/config/schema.ts';
import { settingsTable } from './core/config/schema.ts';
import type { SettingsChange } from './core/config/settings-change.ts';
import { changeSettings } from './core/config/settings-change.ts';
import { shownSettings } from './core/config/shown-settings.ts';
import type { EventBus } from './core/events/bus.ts';
import { createEventBus } from './core/events/bus.ts';
import type { ControllerEvent } from './core/events/events.ts';
import { createLogger } from './core/log/create-logger.ts';
import { GroupedLines } from './core/log/grouped-lines.ts';
import type { Logger } from './core/log/log.ts';
import type { Meter } from './core/meter.ts';
import { warnOfExposedFiles } from './core/secrets/key-file.ts';
import { openDirectory } from './core/start/file-problem.ts';
import { joinStartErrors } from './core/start/start-error.ts';
import type { Clock } from './core/time/clock.ts';
import { systemClock } from './core/time/clock.ts';
import type { Machine } from './core/time/steady-clock.ts';
import { thisMachine } from './core/time/steady-clock.ts';
import { createApp } from './create-app.ts';
import { createServices } from './create-services.ts';
import type { AdminReset, DefaultAdmin } from './credentials/default-admin.ts';
import { ensureDefaultAdmin, resetDefaultAdminPassword } from './credentials/default-admin.ts';
import { checkBreachedPasswords } from './credentials/passwords/breached-passwords.ts';
import { findOpenPolicies } from './credentials/sign-in-rules/open-policies.ts';
import { checkEntities } from './crud/check-entities.ts';
import { build } from './documents/info/version.ts';
import { BrowserListener } from './http/browser-listener.ts';
import { openConsole } from './http/console/open-console.ts';
import { guardServer } from './http/guard-server.ts';
import { noteRefusedConnections } from './http/refused-connection.ts';
import { tlsOptions } from './http/tls-options.ts';
import { testClientCertificates } from './http/tls-self-test.ts';
import { Lifetime } from './lifetime.ts';
import { createOperations } from './open-operations.ts';
import { openPolicyFindings } from './operate/doctor/sign-in-findings.ts';
import { settingsTransportFindings, signersTransportFindings } from './operate/doctor/transport-findings.ts';
import { openTelemetry } from './operate/open-telemetry.ts';
import type { BrowserKeys } from './pki/browser-keys.ts';
import { readBrowserKeys } from './pki/browser-keys.ts';
import { openControllerPki } from './pki/controller-pki.ts';
import { keepPkiValid } from './pki/keep-valid.ts';
import type { LivePki } from './pki/pki.ts';
import { keyFiles } from './pki/pki.ts';
import type { RouterPort } from './routers/router-port.ts';
import { createRouterPort } from './routers/router-port.ts';
import type { Services } from './services.ts';
import { startUpkeep } from './start-upkeep.ts';
import type { AttemptRate } from './storage/attempt-limits/attempt-limiter.ts';
import { readJwksEndpoints } from './storage/entity-store/entity-probe.ts';
import { openSealer } from './storage/entity-store/seal-check.ts';
import type { Stores } from './storage/open-stores.ts';
import { openStores } from './storage/open-stores.ts';

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
const sealKeyFile = join('keys', 'seal.key');

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
  const lifetime = new Lifetime();
  const apiAddress = () => settings.address ?? `localhost:${lifetime.port ?? settings.port}`;
  const webConsole = settings.consoleEnabled && serves ? await openConsole(consoleDir, log) : null;
  const telemetry = await openTelemetry(settings, { events, log });
  const needs = { clock, machine, log, meter: telemetry.meter, attemptRate: attemptRateOf(settings) };
  const { pki, stores, browserKeys } = await openData({ ...settings, dataDir, serves }, needs);
  const shared = { clock, machine, log, events, passwordCost, apiAddress, meter: telemetry.meter };
  const services = createServices({ ...shared, settings, stores, pki });
  const admin = await prepare(services, { stores, serves, log });

  const onRefused = noteRefusedConnections(events, log);
  const browser = createBrowserListener(settings, { keys: browserKeys, clock, log });
  const browserAddress = () => browserAddressOf(settings, { apiAddress, browser });
  const http = createApp(services, { stores, pki, apiAddress, browserAddress, telemetry, webConsole, log });
  const operations = createOperations({ services, pki, telemetry, log, lifetime });
  const tls = () => ({ key: pki.current.serverKeyPem, cert: pki.current.serverCertChainPem });
  const onServerChange = () => {
    for (const server of [lifetime, routerPort]) server?.renew(tls());
    services.routerNetwork.changed();
    const payload = { fingerprint: pki.current.serverKid };
    noteChange(services, { name: 'controller.certificateChanged', payload }, log);
  };
  const routerPort = openRouterPort(services, { tls, log, meter: telemetry.meter, onRefused });
  const others = { routerPort, browser, operations };
  const renewal = keepPkiValid({ pki, clock, log, onServerChange });
  const stopUpkeep = startUpkeep(services, { log, serves });
  const release = async () => {
    renewal.stop();
    services.externalJwts.close();
    await services.jsonSchemas.close();
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
    listen: () =>
      lifetime.listen({ handle: http.app.callback(), tls: tls(), log, onRefused, ...placeOf(settings) }, others),
    reload: (next) => reload(next, { services, log, renewals: [renewal, browser] }),
    resetAdminPassword: () => resetDefaultAdminPassword(services),
    close: (drainTime = defaultDrainTime) => lifetime.close(drainTime, release),
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

async function warnOfRisks({ settings, entities }: Services, log: Logger): Promise<void> {
  const ofSigners = signersTransportFindings(await readJwksEndpoints(entities.db));
  const ofPolicies = openPolicyFindings(await findOpenPolicies(entities.db));
  const findings = [...settingsTransportFindings(settings), ...ofSigners, ...ofPolicies];
  for (const { message, fix } of findings) log.warn({ fix }, message);
}

interface Reloaded {
  readonly services: Services;
  readonly log: Logger;
  readonly renewals: readonly ({ refresh(): Promise<void> } | null)[];
}

async function reload(next: Partial<Settings>, { services, log, renewals }: Reloaded): Promise<SettingsChange> {
  const { settings } = services;
  const change = changeSettings(settings, next);
  const { changed, needRestart } = change;
  if (changed.some(({ setting }) => setting === settingsTable.logLevel.key)) log.level = settings.logLevel;
  log.info({ changed, needRestart }, 'settings were read again');
  if (needRestart.length > 0) log.warn({ needRestart }, 'settings have changed that need a restart');
  const payload = { changed: changed.map(({ setting }) => setting), needRestart: [...needRestart] };
  noteChange(services, { name: 'controller.settingsReloaded', payload }, log);
  for (const renewal of renewals) await renewal?.refresh();
  return change;
}

function createLoggedEvents(log: Logger): EventBus {
  const events = createEventBus((name, error) => log.error({ event: name, err: error }, 'an event listener failed'));
  events.on('externalJwt.refused', (refusal) => log.warn(refusal, 'external JWT refused'));
  events.on('auditLog.shortened', ({ through, by }) => {
    if (by === 'size') log.warn({ through }, 'the audit log has reached its size: its oldest entries were removed');
  });
  events.on('authentication.failed', (failure) => log.warn(failure, 'authentication failed'));
  warnOfRefusals(events, log);
  return events;
}

/** Strangers cause these at any rate. */
function warnOfRefusals(events: EventBus, log: Logger): void {
  const lines = new GroupedLines(log);
  // Under `code` the logger expects a secret.
  events.on('request.limited', ({ code: error, ...limited }) =>
    lines.warn(`429 ${error}`, { error, ...limited }, 'too many requests'),
  );
  events.on('connection.refused', (refused) =>
    lines.warn(`connection ${refused.reason}`, refused, 'connection refused'),
  );
  events.on('controller.stopped', () => lines.close());
}

interface BrowserParts {
  readonly keys: BrowserKeys | null;
  readonly clock: Clock;
  readonly log: Logger;
}

const placeOf = ({ host, port }: Settings) => ({ host, port });

function createBrowserListener(settings: Settings, parts: BrowserParts): BrowserListener | null {
  const { browserBind: bind } = settings;
  return bind === null ? null : new BrowserListener({ settings, bind, ...parts });
}

/** `host:port` at which browsers reach the APIs. */
function browserAddressOf(
  { browserAddress }: Settings,
  { apiAddress, browser }: { readonly apiAddress: () => string; readonly browser: BrowserListener | null },
): string {
  if (browserAddress !== null || browser === null) return browserAddress ?? apiAddress();
  const own = apiAddress();
  return `${own.slice(0, own.lastIndexOf(':'))}:${browser.port}`;
}

function openRouterPort(
  services: Services,
  options: Omit<Parameters<typeof createRouterPort>[1], 'bind'>,
): RouterPort | null {
  const bind = services.settings.routersBind;
  return bind === null ? null : createRouterPort(services, { bind, ...options });
}

/** The settings that limit attempts, as they are when they are read. */
function attemptRateOf(settings: Settings): AttemptRate {
  return {
    get rate() {
      return settings.signInRate;
    },
    get burst() {
      return settings.signInBurst;
    },
  };
}

interface DataServices {
  readonly clock: Clock;
  readonly machine: Machine;
  readonly log: Logger;
  readonly meter: Meter | null;
  readonly attemptRate: AttemptRate;
}

/** Opens everything that the data directory and the stores have, so that all problems are reported at once. */
async function openData(
  settings: Settings & { readonly serves: boolean },
  { log, ...services }: DataServices,
): Promise<{ pki: LivePki; stores: Stores; browserKeys: BrowserKeys | null }> {
  const { dataDir, sealKey, breachedPasswords } = settings;
  const file = join(dataDir, sealKeyFile);
  const opened = await Promise.allSettled([
    openCheckedPki(settings, services.clock),
    openStores(settings, {
      ...services,
      openSealer: (entities) => openSealer({ sealKey, file, entities }),
      warn: (message) => log.warn(message),
    }),
    breachedPasswords === null ? null : checkBreachedPasswords(breachedPasswords),
    settings.serves && settings.browserBind !== null ? readBrowserKeys(settings) : null,
  ]);
  const [pki, stores, breached, browser] = opened;
  const isChecked = breached.status === 'fulfilled' && browser.status === 'fulfilled';
  if (pki.status === 'fulfilled' && stores.status === 'fulfilled' && isChecked) {
    const keys = keyFiles.map((name) => join(dataDir, 'pki', name));
    warnOfExposedFiles([file, ...keys, ...(settings.browserKey === null ? [] : [settings.browserKey])], log);
    return { pki: pki.value, stores: stores.value, browserKeys: browser.value };
  }
  if (stores.status === 'fulfilled') await stores.value.close();
  throw joinStartErrors(opened.flatMap((part) => (part.status === 'rejected' ? [part.reason] : [])));
}

/** For a controller that serves, it checks with its keys that this Node shows the certificates of clients. */
async function openCheckedPki(settings: Settings & { readonly serves: boolean }, clock: Clock): Promise<LivePki> {
  const pki = await openControllerPki(settings, clock);
  const { serverKeyPem: key, serverPath: chain } = pki.current;
  if (settings.serves) await testClientCertificates({ key, chain });
  return pki;
}

/** Emits an event of the controller itself, whether or not the audit log can be written. */
function noteChange({ audit, events }: Services, event: ControllerEvent, log: Logger): void {
  events.emit(event.name, event.payload);
  const onError = (error: unknown) => log.warn({ err: error, event: event.name }, 'an event is not in the audit log');
  audit.write({}, event).catch(onError);
}

async function prepare(
  services: Services,
  { stores, serves, log }: { readonly stores: Stores; readonly serves: boolean; readonly log: Logger },
): Promise<DefaultAdmin> {
  try {
    await checkEntities(services.definitions, services.entities);
    // After a crash between a commit and its effects, the effects come first.
    await services.outbox.drain();
    if (serves) {
      const settings = shownSettings(services.settings);
      await services.audit.publish({}, 'controller.started', { version: build.version, settings });
      await warnOfRisks(services, log);
    }
    return await ensureDefaultAdmin(services);
  } catch (error) {
    // Open stores would keep the process alive.
    await stores.close();
    throw error;
  }
}
