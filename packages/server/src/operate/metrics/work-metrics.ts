import type { Registry } from 'prom-client';
import { Counter } from 'prom-client';
import type { CountKind, Measure, MeasuredWork, Meter, RunStatement, WorkKind } from '../../core/meter.ts';
import { copiedCounter, copiedHistogram } from './copied-metrics.ts';
import { Durations, requestBuckets, storeBuckets } from './durations.ts';

interface Family {
  readonly durations: readonly [name: string, help: string];
  readonly errors: readonly [name: string, help: string];
  readonly labels: readonly string[];
  readonly buckets: readonly number[];
}

const families: Readonly<Record<WorkKind | 'sql', Family>> = {
  store: {
    durations: ['edge_store_operation_duration_seconds', 'Time that an operation of a store takes.'],
    errors: [
      'edge_store_errors_total',
      'Operations of a store that failed. Some of them were asked for something impossible.',
    ],
    labels: ['store', 'system', 'operation'],
    buckets: storeBuckets,
  },
  sql: {
    durations: [
      'edge_sql_statement_duration_seconds',
      'Time that an SQL statement takes, with the wait for a connection left out.',
    ],
    errors: ['edge_sql_errors_total', 'SQL statements that failed, also those that violate a unique column.'],
    labels: ['system', 'statement'],
    buckets: storeBuckets,
  },
  jwks: {
    durations: ['edge_jwks_fetch_duration_seconds', 'Time that a fetch of the keys of an external JWT signer takes.'],
    errors: ['edge_jwks_fetch_errors_total', 'Fetches of keys that failed.'],
    labels: [],
    buckets: requestBuckets,
  },
  passwordWait: {
    durations: ['edge_password_hash_wait_seconds', 'Time that a password waits until it is hashed.'],
    errors: ['edge_password_hash_rejections_total', 'Passwords that were not hashed because too many waited.'],
    labels: [],
    buckets: requestBuckets,
  },
  passwordHash: {
    durations: ['edge_password_hash_duration_seconds', 'Time that the hash of a password takes.'],
    errors: ['edge_password_hash_errors_total', 'Passwords whose hash failed.'],
    labels: [],
    buckets: requestBuckets,
  },
};

const plainCounters: Readonly<Record<CountKind, readonly [name: string, help: string, labels: readonly string[]]>> = {
  attempts: ['edge_attempts_total', 'Attempts to prove an identity, as the limit by address has decided.', ['outcome']],
  unknownRouterMessages: ['edge_router_unknown_messages_total', 'Messages of edge routers that are not known.', []],
  endedApiSessions: ['edge_api_sessions_ended_total', 'API sessions that were removed or have expired.', []],
};

/** How long one kind of work took, and how often it failed. */
class WorkCounts {
  readonly labels: Readonly<Record<string, string>>;
  readonly durations: Durations;
  errors = 0;

  constructor(labels: Readonly<Record<string, string>>, buckets: readonly number[]) {
    this.labels = labels;
    this.durations = new Durations(buckets);
  }

  record(milliseconds: number, hasFailed: boolean): void {
    this.durations.record(milliseconds / 1_000);
    if (hasFailed) this.errors += 1;
  }
}

/** Measures stores, key sets and password hashes. */
export class WorkMetrics implements Meter {
  readonly #counts = new Map<keyof typeof families, Map<string, WorkCounts>>();

  readonly #plain: Readonly<Record<CountKind, Counter>>;

  constructor(registry: Registry) {
    const counterOf = (kind: CountKind) => {
      const [name, help, labelNames] = plainCounters[kind];
      return new Counter({ name, help, labelNames, registers: [registry] });
    };
    this.#plain = {
      attempts: counterOf('attempts'),
      endedApiSessions: counterOf('endedApiSessions'),
      unknownRouterMessages: counterOf('unknownRouterMessages'),
    };
    for (const [kind, { durations, errors, labels }] of Object.entries(families)) {
      const counts = new Map<string, WorkCounts>();
      this.#counts.set(kind as keyof typeof families, counts);
      const used = () => [...counts.values()].filter((one) => one.durations.count > 0);
      copiedHistogram({
        ...{ registry, name: durations[0], help: durations[1], labels },
        lines: () => used().map((one) => [one.labels, one.durations]),
      });
      copiedCounter({
        ...{ registry, name: errors[0], help: errors[1], labels },
        lines: () => used().map((one) => [one.labels, one.errors]),
      });
    }
  }

  measure({ kind, labels }: MeasuredWork): Measure {
    const counts = this.#countsOf(kind, labels);
    // Not `async`: that would cost each session check as much as all other counts together.
    return (work) => {
      const startedAt = performance.now();
      const result = work();
      result.then(
        () => counts.record(performance.now() - startedAt, false),
        () => counts.record(performance.now() - startedAt, true),
      );
      return result;
    };
  }

  statements(system: string): (statement: RunStatement) => void {
    const byVerb = new Map(
      [...verbs, 'other'].map((statement) => [statement, this.#countsOf('sql', { system, statement })]),
    );
    return ({ text, milliseconds, hasFailed }) => byVerb.get(verbOf(text))?.record(milliseconds, hasFailed);
  }

  counter(kind: CountKind, labels: MeasuredWork['labels']): (by: number) => void {
    return (by) => this.#plain[kind].inc(labels, by);
  }

  outgoingHeaders(): Readonly<Record<string, string>> {
    return {};
  }

  #countsOf(kind: keyof typeof families, labels: Readonly<Record<string, string>>): WorkCounts {
    const ofKind = this.#counts.get(kind) ?? new Map<string, WorkCounts>();
    const key = JSON.stringify(labels);
    const counts = ofKind.get(key) ?? new WorkCounts(labels, families[kind].buckets);
    ofKind.set(key, counts);
    return counts;
  }
}

const verbs = ['select', 'insert', 'update', 'delete'];

/** The first word of a statement, if it is one of the usual ones. */
function verbOf(text: string): string {
  const verb = text.slice(0, 6).toLowerCase();
  return verbs.includes(verb) ? verb : 'other';
}
