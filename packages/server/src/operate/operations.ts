import { X509Certificate } from 'node:crypto';
import type { AuditLog } from '../audit/audit-log.ts';
import type { Settings } from '../core/config/schema.ts';
import type { Logger } from '../core/log/log.ts';
import type { PasswordHasher } from '../core/secrets/password-hash.ts';
import type { Clock } from '../core/time/clock.ts';
import { findWithoutSecondFactor } from '../credentials/mfas/without-second-factor.ts';
import { countEntities } from '../crud/count-entities.ts';
import type { Readers } from '../crud/dependencies.ts';
import { build } from '../documents/info/version.ts';
import type { RouterNetwork } from '../network/router-connections/router-network.ts';
import type { LivePki } from '../pki/pki.ts';
import { measureAuditLog } from '../storage/entity-store/audit-log-size.ts';
import { readAuditPushLag } from '../storage/entity-store/audit-push-lag.ts';
import type { SessionStore } from '../storage/session-store/session-store.ts';
import { Health } from './health/health.ts';
import { OperationsListener } from './health/operations-listener.ts';
import type { ControllerState, StoredCounts } from './metrics/state-metrics.ts';
import type { Telemetry } from './open-telemetry.ts';

interface Dependencies extends Readers {
  readonly clock: Clock;
  readonly settings: Settings;
  readonly sessions: SessionStore;
  readonly audit: AuditLog;
  readonly passwords: PasswordHasher;
  readonly routerNetwork: RouterNetwork;
}

interface OperationsOptions {
  readonly dependencies: Dependencies;
  readonly pki: LivePki;
  readonly telemetry: Telemetry;
  readonly log: Logger;
  readonly listeners: {
    /** Open connections of clients. */
    readonly connections: number;
    /** When the certificate for browsers ends, if there is one. */
    readonly browserEnds: readonly { readonly file: string; readonly at: number }[];
  };
}

/** What those see who run the controller. */
export interface Operations {
  readonly health: Health;
  /** `null`: the settings ask for none. */
  readonly listener: OperationsListener | null;
}

/** Creates the operations listener, if the settings ask for one. Nothing listens before its `open`. */
export function createOperations(parts: OperationsOptions): Operations {
  const { dependencies, telemetry, log } = parts;
  const { database, sessions, clock } = dependencies;
  const stores = {
    entities: () => database.db.selectFrom('meta').select('key').limit(1).execute(),
    sessions: () => sessions.rightsVersion(),
  };
  const health = new Health({ stores, clock });
  const { operationsBind: bind } = dependencies.settings;
  const { metrics } = telemetry;
  if (bind === null || metrics === null) return { health, listener: null };
  metrics.show(stateOf(parts, health));
  return { health, listener: new OperationsListener({ bind, health, metrics, log }) };
}

function stateOf({ dependencies, pki, listeners }: OperationsOptions, health: Health): ControllerState {
  const { audit, passwords, routerNetwork, settings } = dependencies;
  return {
    build,
    stores: () => health.check(),
    isServing: () => health.isServing,
    connections: () => listeners.connections,
    passwords: () => passwords.load(),
    audit: () => audit.load(),
    auditMaxSize: () => settings.auditMaxSize * 2 ** 20,
    counts: createCounts(dependencies),
    async network() {
      await routerNetwork.refresh();
      const circuits = Iterator.from(routerNetwork.circuits()).reduce((count) => count + 1, 0);
      return { routers: routerNetwork.routers().length, links: routerNetwork.topology.links.size, circuits };
    },
    certificates: () => [...pki.current.ends, serverCertificate(pki), ...listeners.browserEnds],
  };
}

/** Unlike the others, the controller renews it by itself, if it has the keys. */
function serverCertificate({ current }: LivePki) {
  return { file: 'server.pem', at: new X509Certificate(current.serverCertChainPem).validToDate.getTime() };
}

/** Milliseconds for which counts are not read again: a count reads many rows. */
const maxAge = 15_000;

/** Counts what the stores have, whoever asks and however often. */
function createCounts(dependencies: Dependencies): () => Promise<StoredCounts | null> {
  let readAt = Number.NEGATIVE_INFINITY;
  let counts: Promise<StoredCounts | null> = Promise.resolve(null);
  return () => {
    if (performance.now() - readAt < maxAge) return counts;
    readAt = performance.now();
    counts = readCounts(dependencies).catch(() => null);
    return counts;
  };
}

async function readCounts(dependencies: Dependencies): Promise<StoredCounts> {
  const { clock, database, sessions, settings } = dependencies;
  const auditPush = settings.auditPushUrl === null ? null : await readAuditPushLag(database.lists, clock());
  const [counted, outbox, { pagination }, { bytes: auditLogSize }, { length: withoutSecondFactor }] = await Promise.all(
    [
      countEntities(dependencies),
      database.lists
        .selectFrom('outbox')
        .select(({ fn }) => fn.countAll().as('count'))
        .executeTakeFirstOrThrow(),
      sessions.list({ limit: 1 }),
      measureAuditLog(database.lists),
      findWithoutSecondFactor(database.lists, settings),
    ],
  );
  const apiSessions = pagination?.totalCount ?? 0;
  return { entities: counted, outbox: Number(outbox.count), apiSessions, auditLogSize, auditPush, withoutSecondFactor };
}
