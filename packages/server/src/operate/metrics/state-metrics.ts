import type { Registry } from 'prom-client';
import type { MetricLine } from './copied-metrics.ts';
import { copiedGauge } from './copied-metrics.ts';

/** What the controller is and has at the moment. Each is asked when somebody reads the metrics. */
export interface ControllerState {
  /** The running program. */
  readonly build: Readonly<{ version: string; revision: string }>;
  /** Whether requests are served: 1 or 0 for each store, and whether the controller stops. */
  readonly stores: () => Promise<readonly { readonly id: string; readonly healthy: boolean }[]>;
  readonly isServing: () => boolean;
  readonly connections: () => number;
  readonly passwords: () => { readonly running: number; readonly waiting: number };
  /** Entries of the audit log that are not written yet. `lag`: seconds for which the first of them has waited. */
  readonly audit: () => { readonly waiting: number; readonly lag: number };
  /** Bytes that the audit log may have. */
  readonly auditMaxSize: () => number;
  /** Read in the stores. `null`: a store could not be asked. */
  readonly counts: () => Promise<StoredCounts | null>;
  readonly network: () => Promise<{ readonly routers: number; readonly links: number; readonly circuits: number }>;
  /** When the certificates of the controller end, in milliseconds since 1970. */
  readonly certificates: () => readonly { readonly file: string; readonly at: number }[];
}

/** What the stores have. */
export interface StoredCounts {
  readonly apiSessions: number;
  /** By the name of the contract. */
  readonly entities: ReadonlyMap<string, number>;
  /** Effects of changes that wait to be applied to the sessions. */
  readonly outbox: number;
  /** Identities that have rights and sign in with one factor. */
  readonly withoutSecondFactor: number;
  /** Bytes, about. */
  readonly auditLogSize: number;
  /** What of the audit log was not pushed yet. `null`: it is not pushed. `lag`: seconds since the first of it. */
  readonly auditPush: { readonly waiting: number; readonly lag: number } | null;
}

/** Shows the state of the controller. */
export function showState(registry: Registry, state: ControllerState): void {
  showProcess(registry, state);
  showPasswords(registry, state);
  showAudit(registry, state);
  showStores(registry, state);
  showNetwork(registry, state);
}

function showProcess(
  registry: Registry,
  { build, stores, isServing, connections, certificates }: ControllerState,
): void {
  copiedGauge({
    ...{ registry, name: 'edge_build_info', help: 'The running program. Always 1.' },
    labels: ['version', 'revision', 'node'],
    lines: () => [[{ ...pick(build), node: process.version }, 1]],
  });
  copiedGauge({
    ...{ registry, name: 'edge_serving', help: '1 while the controller takes requests, 0 while it stops.' },
    lines: () => [[{}, Number(isServing())]],
  });
  copiedGauge({
    ...{ registry, name: 'edge_store_up', help: '1 when a store has answered the last question.', labels: ['store'] },
    lines: async () => (await stores()).map(({ id, healthy }): MetricLine => [{ store: id }, Number(healthy)]),
  });
  copiedGauge({
    ...{ registry, name: 'edge_http_connections', help: 'Open connections of clients.' },
    lines: () => [[{}, connections()]],
  });
  copiedGauge({
    ...{
      registry,
      name: 'edge_certificate_expiry_timestamp_seconds',
      help: 'When a certificate of the controller ends.',
    },
    labels: ['file'],
    // A file may have several certificates: the one that expires first counts.
    lines: () =>
      certificates()
        .toSorted((a, b) => b.at - a.at)
        .map(({ file, at }): MetricLine => [{ file }, at / 1_000]),
  });
}

function showPasswords(registry: Registry, { passwords }: ControllerState): void {
  copiedGauge({
    ...{ registry, name: 'edge_password_hashes_running', help: 'Passwords that are being hashed.' },
    lines: () => [[{}, passwords().running]],
  });
  copiedGauge({
    ...{ registry, name: 'edge_password_hashes_waiting', help: 'Passwords that wait to be hashed.' },
    lines: () => [[{}, passwords().waiting]],
  });
}

function showAudit(registry: Registry, { audit, auditMaxSize }: ControllerState): void {
  copiedGauge({
    ...{ registry, name: 'edge_audit_log_max_bytes', help: 'Bytes from which on its oldest entries are removed.' },
    lines: () => [[{}, auditMaxSize()]],
  });
  copiedGauge({
    ...{ registry, name: 'edge_audit_entries_waiting', help: 'Entries of the audit log that wait to be written.' },
    lines: () => [[{}, audit().waiting]],
  });
  copiedGauge({
    ...{ registry, name: 'edge_audit_lag_seconds', help: 'How long the first of these has waited.' },
    lines: () => [[{}, audit().lag]],
  });
}

function showStores(registry: Registry, { counts }: ControllerState): void {
  const from = async (read: (counts: StoredCounts) => readonly MetricLine[]) => {
    const found = await counts();
    return found === null ? [] : read(found);
  };
  copiedGauge({
    ...{ registry, name: 'edge_api_sessions', help: 'Live API sessions in the store, of all controllers.' },
    lines: () => from(({ apiSessions }) => [[{}, apiSessions]]),
  });
  copiedGauge({
    ...{ registry, name: 'edge_entities', help: 'Entities in the store by their type.', labels: ['entity'] },
    lines: () => from(({ entities }) => [...entities].map(([entity, count]) => [{ entity }, count])),
  });
  copiedGauge({
    ...{ registry, name: 'edge_administrators_without_second_factor' },
    help: 'Identities that have rights and sign in without a second factor.',
    lines: () => from(({ withoutSecondFactor }) => [[{}, withoutSecondFactor]]),
  });
  copiedGauge({
    ...{ registry, name: 'edge_audit_log_bytes', help: 'Size of the audit log in its database, about.' },
    lines: () => from(({ auditLogSize }) => [[{}, auditLogSize]]),
  });
  copiedGauge({
    ...{ registry, name: 'edge_audit_push_waiting', help: 'Entries of the audit log that were not pushed yet.' },
    lines: () => from(({ auditPush }) => (auditPush ? [[{}, auditPush.waiting]] : [])),
  });
  copiedGauge({
    ...{ registry, name: 'edge_audit_push_lag_seconds', help: 'How long the first of these has waited.' },
    lines: () => from(({ auditPush }) => (auditPush ? [[{}, auditPush.lag]] : [])),
  });
  copiedGauge({
    ...{
      registry,
      name: 'edge_outbox_effects',
      help: 'Effects of changes that wait to be applied to the API sessions.',
    },
    lines: () => from(({ outbox }) => [[{}, outbox]]),
  });
}

function showNetwork(registry: Registry, { network }: ControllerState): void {
  copiedGauge({
    ...{ registry, name: 'edge_routers_connected', help: 'Edge routers that are connected to any of the controllers.' },
    lines: async () => [[{}, (await network()).routers]],
  });
  copiedGauge({
    ...{ registry, name: 'edge_links', help: 'Links between routers.' },
    lines: async () => [[{}, (await network()).links]],
  });
  copiedGauge({
    ...{ registry, name: 'edge_circuits', help: 'Circuits that this controller has made.' },
    lines: async () => [[{}, (await network()).circuits]],
  });
}

function pick({ version, revision }: ControllerState['build']) {
  return { version, revision };
}
