import { join } from 'node:path';
import type { ApiTree } from '@edge-controller/shared-types';
import { LivePosture } from './access/service-access/live-posture.ts';
import { ServiceAccess } from './access/service-access/service-access.ts';
import { ServiceSessions } from './access/service-sessions/service-sessions.ts';
import { ServiceUpdates } from './access/service-updates/service-updates.ts';
import { AuditLog } from './audit/audit-log.ts';
import type { CheckpointSigner } from './audit/checkpoint.ts';
import { createCheckpointSigner } from './audit/checkpoint-signer.ts';
import { Checkpoints, checkpointFile } from './audit/checkpoints.ts';
import type { HandlersWith } from './core/call.ts';
import { controlAddresses } from './core/config/control-addresses.ts';
import type { Settings } from './core/config/schema.ts';
import type { EventBus } from './core/events/bus.ts';
import type { Logger } from './core/log/log.ts';
import type { Meter } from './core/meter.ts';
import { warnOfExposedFiles } from './core/secrets/key-file.ts';
import type { HashLimits, HashParameters, PasswordHasher } from './core/secrets/password-hash.ts';
import { createPasswordHasher } from './core/secrets/password-hash.ts';
import type { Sealer } from './core/secrets/sealer.ts';
import { joinStartErrors } from './core/start/start-error.ts';
import type { Clock, Machine } from './core/time/clock.ts';
import type { TrustedCas } from './credentials/certificates/trusted-cas.ts';
import { createTrustedCas } from './credentials/certificates/trusted-cas.ts';
import type { ExternalJwts } from './credentials/external-jwt/external-jwts.ts';
import { createExternalJwts } from './credentials/external-jwt/external-jwts.ts';
import { createTrustedSigners } from './credentials/external-jwt/trusted-signers.ts';
import { checkBreachedPasswords } from './credentials/passwords/breached-passwords.ts';
import type { Guessable } from './credentials/passwords/guessable-passwords.ts';
import { createGuessable } from './credentials/passwords/guessable-passwords.ts';
import type { Entities } from './crud/entity.ts';
import { definitions } from './entities/index.ts';
import { JsonSchemas } from './entities/json-schemas/json-schemas.ts';
import { testClientCertificates } from './http/tls-self-test.ts';
import { createLiveNetwork } from './network/router-connections/live-network.ts';
import type { NetworkView } from './network/router-connections/network-view.ts';
import { RouterNetwork } from './network/router-connections/router-network.ts';
import type { BrowserKeys } from './pki/browser-keys.ts';
import { readBrowserKeys } from './pki/browser-keys.ts';
import { openControllerPki, serverKeyOf } from './pki/controller-pki.ts';
import { createEnrollmentSigner } from './pki/create-enrollment-signer.ts';
import { createNetworkPki } from './pki/create-network-pki.ts';
import { createSessionSigner } from './pki/create-session-signer.ts';
import type { EnrollmentSigner } from './pki/enrollment-signer.ts';
import type { NetworkPki } from './pki/network-pki.ts';
import type { LivePki } from './pki/pki.ts';
import { keyFiles } from './pki/pki.ts';
import { SessionKeys } from './pki/session-keys.ts';
import type { SessionSigner } from './pki/session-signer.ts';
import type { ActiveSession } from './sessions/active-session.ts';
import type { AuthQuery } from './sessions/auth-state.ts';
import { endSignedOut } from './sessions/end-signed-out.ts';
import { Principals } from './sessions/principals.ts';
import { recordExpired } from './sessions/record-expired.ts';
import { UnreadSignOuts } from './sessions/unread-sign-outs.ts';
import { createAuthQueries } from './sign-in/authentication/queries/index.ts';
import type { AttemptRate } from './storage/attempt-limits/attempt-limiter.ts';
import type { EntityStore } from './storage/entity-store/entity-store.ts';
import { openSealer } from './storage/entity-store/seal-check.ts';
import type { Stores } from './storage/open-stores.ts';
import { openStores } from './storage/open-stores.ts';
import type { Peers } from './storage/peers/peers.ts';
import type { EndedSessions } from './storage/revocation/ended-sessions.ts';
import { createEndedSessions } from './storage/revocation/ended-sessions.ts';
import type { Outbox } from './storage/revocation/outbox.ts';
import { createOutbox } from './storage/revocation/outbox.ts';
import { createPostureLosses } from './storage/revocation/posture-losses.ts';
import type { SessionStore } from './storage/session-store/session-store.ts';

const sealKeyFile = join('keys', 'seal.key');

/** What the composition root creates once for all calls. A layer asks for those that it needs. */
export interface Dependencies {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly database: EntityStore;
  /** The definitions of all entities. */
  readonly definitions: Entities;
  readonly sessions: SessionStore;
  readonly endedSessions: EndedSessions;
  readonly outbox: Outbox;
  readonly unreadSignOuts: UnreadSignOuts;
  readonly principals: Principals;
  readonly serviceUpdates: ServiceUpdates;
  /** What policies say about services. */
  readonly serviceAccess: ServiceAccess;
  /** What clients say about their devices. */
  readonly posture: LivePosture;
  readonly serviceSessions: ServiceSessions;
  /** The controllers that share the stores. */
  readonly peers: Peers;
  /** The edge routers that are connected. */
  readonly routerNetwork: RouterNetwork;
  /** Where edge routers reach the controllers. `null`: nowhere. */
  readonly routerAddresses: () => readonly string[] | null;
  /** The CAs whose certificates sign in. */
  readonly trustedCas: TrustedCas;
  /** The CAs whose certificates enroll by themselves. */
  readonly enrollingCas: TrustedCas;
  readonly passwords: PasswordHasher;
  /** Which new passwords somebody could guess. */
  readonly guessable: Guessable;
  readonly sealer: Sealer;
  readonly pki: NetworkPki;
  readonly enrollmentSigner: EnrollmentSigner;
  readonly sessionSigner: SessionSigner;
  readonly events: EventBus;
  readonly audit: AuditLog;
  /** Sign where the audit log ends. */
  readonly checkpoints: Checkpoints;
  readonly checkpointSigner: CheckpointSigner;
  /** All kinds of authentication queries, in the order of the wire. */
  readonly authQueries: readonly AuthQuery[];
  readonly externalJwts: ExternalJwts;
  /** Checks the data of configs. */
  readonly jsonSchemas: JsonSchemas;
  /** What the connected routers carry. */
  readonly network: NetworkView;
}

/** The handlers of an API tree, whatever they need. */
export type Handlers<T extends ApiTree> = HandlersWith<T, Dependencies, ActiveSession>;

interface DataOptions {
  /** Absolute path. */
  readonly dataDir: string;
  readonly serves: boolean;
  readonly clock: Clock;
  readonly machine: Machine;
  readonly log: Logger;
  readonly meter: Meter | null;
}

/** Opens everything that the data directory and the stores have, so that all problems are reported at once. */
export async function openData(
  settings: Settings,
  { dataDir, serves, log, ...options }: DataOptions,
): Promise<{ pki: LivePki; stores: Stores; browserKeys: BrowserKeys | null }> {
  const { sealKey, breachedPasswords } = settings;
  const place = { ...settings, dataDir, serves };
  const file = join(dataDir, sealKeyFile);
  const opened = await Promise.allSettled([
    serves ? openCheckedPki(place, options.clock) : openControllerPki(place, options.clock),
    openStores(place, {
      ...options,
      attemptRate: attemptRateOf(settings),
      openSealer: (database) => openSealer({ sealKey, file, database }),
      warn: (message) => log.warn(message),
    }),
    breachedPasswords === null ? null : checkBreachedPasswords(breachedPasswords),
    serves && settings.browserBind !== null ? readBrowserKeys(settings) : null,
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

/** Checks with the keys of the PKI that this Node shows the certificates of clients. */
async function openCheckedPki(settings: Settings, clock: Clock): Promise<LivePki> {
  const pki = await openControllerPki(settings, clock);
  const { serverKeyPem: key, serverPath: chain } = pki.current;
  await testClientCertificates({ key, chain });
  return pki;
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

interface DependenciesOptions {
  readonly settings: Settings;
  readonly stores: Stores;
  readonly pki: LivePki;
  readonly events: EventBus;
  readonly clock: Clock;
  readonly machine: Machine;
  readonly log: Logger;
  readonly meter: Meter | null;
  /** What a password hash costs, if not the default. */
  readonly passwordCost: HashParameters | undefined;
  /** Host and port of the API, as clients know it. */
  readonly apiAddress: () => string;
}

/** Creates what all calls share. */
export function createDependencies({
  settings,
  stores,
  pki,
  events,
  passwordCost,
  apiAddress,
  ...parts
}: DependenciesOptions): Dependencies {
  const { clock, log } = parts;
  const { database, sessions, sealer, peers } = stores;
  const { audit, ...signatures } = createAuditing({ settings, stores, pki, events, clock, log });
  const authQueries = createAuthQueries(settings);
  const endedSessions = createEndedSessions({ database, clock, timeout: settings.sessionTimeout });
  const trustedCas = createTrustedCas(database, 'isAuthEnabled');
  const trustedSigners = createTrustedSigners(database);
  const principals = new Principals({ settings, database, endedSessions, trustedCas, trustedSigners, clock });
  const serviceAccess = new ServiceAccess({ database, definitions }, sessions);
  const losses = createPostureLosses(database, clock);
  const posture = new LivePosture({ sessions, losses, access: serviceAccess, clock });
  const serviceSessions = new ServiceSessions({
    ...{ sessions, endedSessions, principals, access: serviceAccess, posture, authQueries, events, audit },
    ...{ clock, peers },
  });
  const outbox = createOutbox({
    ...{ database, sessions, clock },
    endLostSessions: (scope) => serviceSessions.endLostIn(scope),
    endSignedOut: (hashes) => endSignedOut({ database, audit, events, sessions }, hashes),
  });
  const sessionKeys = new SessionKeys(serverKeyOf(pki));
  return {
    clock,
    settings,
    database,
    definitions,
    sessions,
    endedSessions,
    outbox,
    unreadSignOuts: new UnreadSignOuts({ clock, endedSessions, outbox }),
    principals,
    serviceAccess,
    posture,
    serviceSessions,
    peers,
    serviceUpdates: new ServiceUpdates(database),
    trustedCas,
    enrollingCas: createTrustedCas(database, 'isAutoCaEnrollmentEnabled'),
    passwords: createPasswords(settings, { passwordCost, meter: parts.meter }),
    guessable: createGuessable(settings, pki.current),
    sealer,
    ...createNetwork(peers, sessionKeys),
    ...createSigners({ settings, pki, apiAddress }, sessionKeys),
    events,
    audit,
    ...signatures,
    authQueries,
    externalJwts: createExternalJwts({ ...parts, signers: trustedSigners, settings, audit }),
    jsonSchemas: new JsonSchemas(),
  };
}

/** Ends their threads and requests. The stores stay open. */
export async function closeDependencies({ externalJwts, jsonSchemas }: Dependencies): Promise<void> {
  externalJwts.close();
  await jsonSchemas.close();
}

function createNetwork(peers: Peers, sessionKeys: SessionKeys) {
  const routerNetwork = new RouterNetwork(peers, () => sessionKeys.all());
  return { routerNetwork, network: createLiveNetwork(routerNetwork, peers) };
}

/** What signs certificates and tokens. */
function createSigners(
  { settings, pki, apiAddress }: Pick<DependenciesOptions, 'settings' | 'pki' | 'apiAddress'>,
  sessionKeys: SessionKeys,
) {
  const issuer = () => `https://${apiAddress()}`;
  const routerAddresses = () => controlAddresses(settings, apiAddress());
  const signing = { server: serverKeyOf(pki), issuer, ctrls: routerAddresses };
  return {
    routerAddresses,
    pki: createNetworkPki(pki, () => new URL(issuer()).hostname.replace(/^\[|\]$/g, '')),
    enrollmentSigner: createEnrollmentSigner(signing),
    sessionSigner: createSessionSigner({ ...signing, server: () => sessionKeys.current() }),
  };
}

function createPasswords(
  settings: Settings,
  { passwordCost, meter }: Pick<DependenciesOptions, 'passwordCost' | 'meter'>,
) {
  return createPasswordHasher({
    limits: hashLimits(settings),
    ...(passwordCost && { parameters: passwordCost }),
    ...(meter && { measures: hashMeasures(meter) }),
  });
}

function hashLimits(settings: Settings): HashLimits {
  return {
    get concurrency() {
      return settings.hashConcurrency;
    },
    get queue() {
      return settings.hashQueue;
    },
  };
}

function hashMeasures(meter: Meter) {
  return {
    wait: meter.measure({ kind: 'passwordWait', labels: {} }),
    hash: meter.measure({ kind: 'passwordHash', labels: {} }),
  };
}

/** What the audit log consists of. */
function createAuditing({
  settings,
  stores,
  pki,
  events,
  clock,
  log,
}: Pick<DependenciesOptions, 'settings' | 'stores' | 'pki' | 'events' | 'clock' | 'log'>) {
  const { database } = stores;
  const audit = new AuditLog({ database, events, clock, isEnabled: settings.auditEnabled });
  stores.onExpired((sessions) => recordExpired({ database, audit, events }, sessions));
  const signer = createCheckpointSigner(pki);
  const file = join(settings.dataDir, checkpointFile);
  return {
    audit,
    checkpointSigner: signer,
    checkpoints: new Checkpoints({ database, signer, clock, log, file }),
  };
}
