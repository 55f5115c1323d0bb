import type { RequestListener } from 'node:http';
import { join, resolve } from 'node:path';
import type { TlsOptions, Server as TlsServer } from 'node:tls';
import { clientApi, fabricApi, managementApi } from '@edge-controller/shared-types';
import type Koa from 'koa';
import { defaultSettings } from './config/load.ts';
import type { Settings } from './config/schema.ts';
import { shownSettings } from './config/shown-settings.ts';
import type { ControllerOptions } from './controller-options.ts';
import { openControllerPki } from './controller-pki.ts';
import { createLogger } from './create-logger.ts';
import { createServices } from './create-services.ts';
import { checkEntities } from './crud/check-entities.ts';
import type { AdminReset, DefaultAdmin } from './default-admin.ts';
import { ensureDefaultAdmin, resetDefaultAdminPassword } from './default-admin.ts';
import { openSealer } from './entity-store/seal-check.ts';
import type { EventBus } from './events/bus.ts';
import { createEventBus } from './events/bus.ts';
import { createHandlers } from './handlers.ts';
import { createHttpApp } from './http/app.ts';
import { guardServer } from './http/guard-server.ts';
import type { Listener, ListenOptions } from './http/listen.ts';
import { listen } from './http/listen.ts';
import { surface } from './http/operations/mounted.ts';
import type { ServerKeys } from './http/tls-options.ts';
import { tlsOptions } from './http/tls-options.ts';
import type { InfoHandlers } from './info/info-handlers.ts';
import { createInfoHandlers } from './info/info-handlers.ts';
import { build } from './info/version.ts';
import type { Clock } from './lib/clock.ts';
import { systemClock } from './lib/clock.ts';
import { openDirectory } from './lib/file-problem.ts';
import { warnOfExposedFiles } from './lib/key-file.ts';
import type { Logger } from './lib/log.ts';
import { joinStartErrors } from './lib/start-error.ts';
import type { Machine } from './lib/steady-clock.ts';
import { thisMachine } from './lib/steady-clock.ts';
import type { Stores } from './open-stores.ts';
import { openStores } from './open-stores.ts';
import { caBundle } from './pki/ca-bundle.ts';
import { keepPkiValid } from './pki/keep-valid.ts';
import type { LivePki } from './pki/pki.ts';
import { keyFiles } from './pki/pki.ts';
import type { RouterPort } from './routers/router-port.ts';
import { createRouterPort } from './routers/router-port.ts';
import type { Services } from './services.ts';
import { allows, resolveSession } from './sessions/sessions.ts';
import { startUpkeep } from './start-upkeep.ts';

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
   * `/fabric/v1/` and `/.well-known/est/`; all others go on to the next middleware, untouched.
   */
  middleware(): Koa.Middleware;
  /**
   * The TLS options of a server of your own: the present server certificate, and what makes sign-in with client
   * certificates possible. On the event `serverCertificateChanged`, pass them to `server.setSecureContext`. You may replace
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
    /** The port for edge routers. `null`: no router can connect. */
    readonly routersPort: number | null;
  }>;
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
  const { log: givenLog, clock = systemClock, machine = thisMachine, passwordCost, serves = true, ...given } = options;
  const settings: Settings = { ...defaultSettings(), ...given };
  const log = givenLog ?? createLogger({ level: settings.logLevel });
  const dataDir = resolve(settings.dataDir);
  openDirectory(dataDir);
  const events = createLoggedEvents(log);
  const { host, port } = settings;
  const lifetime = new Lifetime();
  const apiAddress = () => settings.address ?? `localhost:${lifetime.port ?? port}`;

  const { pki, stores } = await openData({ ...settings, dataDir, serves }, { clock, machine, log });
  warnOfExposedFiles([join(dataDir, sealKeyFile), ...keyFiles.map((name) => join(dataDir, 'pki', name))], log);
  const shared = { clock, machine, log, events, passwordCost, apiAddress };
  const services = createServices({ ...shared, settings, stores, pki });
  const admin = await prepare(services, { serves }).catch(async (error: unknown) => {
    // Open stores would keep the process alive.
    await stores.close();
    throw error;
  });

  const apis = surfaces(createHandlers(infoHandlers({ apiAddress, pki }, services)));
  const { attempts } = stores;
  const http = createHttpApp({ settings, services, apis, resolveSession, allows, attempts, log });
  const tls = () => ({ key: pki.current.serverKeyPem, cert: pki.current.serverCertChainPem });
  const onServerChange = () => {
    lifetime.renew(tls());
    routerPort?.renew(tls());
    services.routerNetwork.changed();
    noteNewCertificate(services, pki.current.serverKid, log);
  };
  const routerPort = openRouterPort(services, { tls, log });
  const stopRenewal = keepPkiValid({ pki, clock, log, onServerChange });
  const stopUpkeep = startUpkeep(services, { log, serves });
  const release = async () => {
    stopRenewal();
    services.externalJwts.close();
    await routerPort?.close();
    await stopUpkeep();
    await stores.close();
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
    guardHandshakes: (server) => guardServer(server, log),
    listen: () => lifetime.listen({ handle: http.app.callback(), tls: tls(), host, port, log }, routerPort),
    resetAdminPassword: () => resetDefaultAdminPassword(services),
    close: (drainTime = defaultDrainTime) => lifetime.close(drainTime, release),
  };
}

function surfaces({ client, management, fabric }: ReturnType<typeof createHandlers>) {
  return {
    client: surface(clientApi, client),
    management: surface(managementApi, management),
    fabric: surface(fabricApi, fabric),
  };
}

function infoHandlers(
  { apiAddress, pki }: { readonly apiAddress: () => string; readonly pki: LivePki },
  { enrollmentSigner }: Services,
): InfoHandlers {
  return createInfoHandlers({
    apiAddress,
    caCertificates: () => caBundle(pki.current),
    networkJwt: () => enrollmentSigner.signForNetwork(),
  });
}

function createLoggedEvents(log: Logger): EventBus {
  const events = createEventBus((name, error) => log.error({ event: name, err: error }, 'an event listener failed'));
  events.on('externalJwtRefused', (refusal) => log.warn(refusal, 'external JWT refused'));
  events.on('authenticationFailed', (failure) => log.warn(failure, 'authentication failed'));
  return events;
}

function openRouterPort(
  services: Services,
  options: { readonly tls: () => ServerKeys; readonly log: Logger },
): RouterPort | null {
  const bind = services.settings.routersBind;
  return bind === null ? null : createRouterPort(services, { bind, ...options });
}

/** From `listen` to `close`. */
class Lifetime {
  #listener: Listener | null = null;
  #closing: Promise<void> | null = null;

  /** The port that is bound, if one is. */
  get port(): number | undefined {
    return this.#listener?.port;
  }

  async listen(
    options: ListenOptions,
    routerPort: RouterPort | null,
  ): Promise<{ url: string; port: number; routersPort: number | null }> {
    const routersPort = (await routerPort?.open()) ?? null;
    this.#listener = await listen(options);
    const { port } = this.#listener;
    return { url: `https://${shownHost(options.host)}:${port}`, port, routersPort };
  }

  renew(keys: ServerKeys): void {
    this.#listener?.renew(keys);
  }

  close(drainTime: number, release: () => Promise<void>): Promise<void> {
    const end = async () => {
      await this.#listener?.close(drainTime);
      await release();
    };
    this.#closing ??= end();
    return this.#closing;
  }
}

/** Opens everything that the data directory and the stores have, so that all problems are reported at once. */
async function openData(
  settings: Settings & { readonly serves: boolean },
  { clock, machine, log }: { clock: Clock; machine: Machine; log: Logger },
): Promise<{ pki: LivePki; stores: Stores }> {
  const { dataDir, sealKey } = settings;
  const file = join(dataDir, sealKeyFile);
  const opened = await Promise.allSettled([
    openControllerPki(settings, clock),
    openStores(settings, {
      clock,
      machine,
      openSealer: (entities) => openSealer({ sealKey, file, entities }),
      warn: (message) => log.warn(message),
    }),
  ]);
  const [pki, stores] = opened;
  if (pki.status === 'fulfilled' && stores.status === 'fulfilled') return { pki: pki.value, stores: stores.value };
  if (stores.status === 'fulfilled') await stores.value.close();
  throw joinStartErrors(opened.flatMap((part) => (part.status === 'rejected' ? [part.reason] : [])));
}

/** Servers need the new certificate, whether or not the audit log can be written. */
function noteNewCertificate({ audit, events }: Services, fingerprint: string, log: Logger): void {
  const changed = { name: 'serverCertificateChanged', payload: { fingerprint } } as const;
  events.emit(changed.name, changed.payload);
  const onError = (error: unknown) => log.warn({ err: error }, 'a new certificate was not noted in the audit log');
  audit.write({}, changed).catch(onError);
}

async function prepare(services: Services, { serves }: { readonly serves: boolean }): Promise<DefaultAdmin> {
  await checkEntities(services.definitions, services.entities);
  // After a crash between a commit and its effects, the effects come first.
  await services.outbox.drain();
  if (serves) {
    const settings = shownSettings(services.settings);
    await services.audit.publish({}, 'controllerStarted', { version: build.version, settings });
  }
  return ensureDefaultAdmin(services);
}

/** A host that the certificate names: clients cannot connect to a wildcard address. */
function shownHost(host: string): string {
  if (['127.0.0.1', '::1', '0.0.0.0', '::', 'localhost'].includes(host)) return 'localhost';
  return host.includes(':') ? `[${host}]` : host;
}
