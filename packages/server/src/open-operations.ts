import { X509Certificate } from 'node:crypto';
import type { Logger } from './core/log/log.ts';
import { findWithoutSecondFactor } from './credentials/mfas/without-second-factor.ts';
import { countEntities } from './crud/count-entities.ts';
import { build } from './documents/info/version.ts';
import { Health } from './operate/health/health.ts';
import { OperationsListener } from './operate/health/operations-listener.ts';
import type { ControllerState, StoredCounts } from './operate/metrics/state-metrics.ts';
import type { Telemetry } from './operate/open-telemetry.ts';
import type { LivePki } from './pki/pki.ts';
import type { Services } from './services.ts';
import { measureAuditLog } from './storage/entity-store/audit-log-size.ts';
import { readAuditPushLag } from './storage/entity-store/audit-push-lag.ts';

interface Parts {
  readonly services: Services;
  readonly pki: LivePki;
  readonly telemetry: Telemetry;
  readonly log: Logger;
  readonly lifetime: {
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
export function createOperations(parts: Parts): Operations {
  const { services, telemetry, log } = parts;
  const { entities, sessions, clock } = services;
  const stores = {
    entities: () => entities.db.selectFrom('meta').select('key').limit(1).execute(),
    sessions: () => sessions.rightsVersion(),
  };
  const health = new Health({ stores, clock });
  const { operationsBind: bind } = services.settings;
  const { metrics } = telemetry;
  if (bind === null || metrics === null) return { health, listener: null };
  metrics.show(stateOf(parts, health));
  return { health, listener: new OperationsListener({ bind, health, metrics, log }) };
}

function stateOf({ services, pki, lifetime }: Parts, health: Health): ControllerState {
  const { audit, passwords, routerNetwork, settings } = services;
  return {
    build,
    stores: () => health.check(),
    isServing: () => health.isServing,
    connections: () => lifetime.connections,
    passwords: () => passwords.load(),
    audit: () => audit.load(),
    auditMaxSize: () => settings.auditMaxSize * 2 ** 20,
    counts: createCounts(services),
    async network() {
      await routerNetwork.refresh();
      const circuits = Iterator.from(routerNetwork.circuits()).reduce((count) => count + 1, 0);
      return { routers: routerNetwork.routers().length, links: routerNetwork.topology.links.size, circuits };
    },
    certificates: () => [...pki.current.ends, serverCertificate(pki), ...lifetime.browserEnds],
  };
}

/** Unlike the others, the controller renews it by itself, if it has the keys. */
function serverCertificate({ current }: LivePki) {
  return { file: 'server.pem', at: new X509Certificate(current.serverCertChainPem).validToDate.getTime() };
}

/** Milliseconds for which counts are not read again: a count reads many rows. */
const maxAge = 15_000;

/** Counts what the stores have, whoever asks and however often. */
function createCounts(services: Services): () => Promise<StoredCounts | null> {
  let readAt = Number.NEGATIVE_INFINITY;
  let counts: Promise<StoredCounts | null> = Promise.resolve(null);
  return () => {
    if (performance.now() - readAt < maxAge) return counts;
    readAt = performance.now();
    counts = readCounts(services).catch(() => null);
    return counts;
  };
}

async function readCounts(services: Services): Promise<StoredCounts> {
  const { clock, entities, sessions, settings } = services;
  const auditPush = settings.auditPushUrl === null ? null : await readAuditPushLag(entities.lists, clock());
  const [counted, outbox, { pagination }, { bytes: auditLogSize }, { length: withoutSecondFactor }] = await Promise.all(
    [
      countEntities(services),
      entities.lists
        .selectFrom('outbox')
        .select(({ fn }) => fn.countAll().as('count'))
        .executeTakeFirstOrThrow(),
      sessions.list({ limit: 1 }),
      measureAuditLog(entities.lists),
      findWithoutSecondFactor(entities.lists, settings),
    ],
  );
  const apiSessions = pagination?.totalCount ?? 0;
  return { entities: counted, outbox: Number(outbox.count), apiSessions, auditLogSize, auditPush, withoutSecondFactor };
}
