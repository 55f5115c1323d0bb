import type { Registry } from 'prom-client';
import type { MetricLine } from './copied-metrics.ts';
import { copiedCounter, copiedHistogram } from './copied-metrics.ts';
import { Durations, requestBuckets } from './durations.ts';

/** By the first digit of the status. The client of an aborted request was gone before it had its response. */
const statusClasses = ['aborted', '1xx', '2xx', '3xx', '4xx', '5xx'] as const;

/** What is known of the requests of one operation. */
export class OperationRequests {
  readonly labels: Readonly<{ api: string; operation: string }>;
  readonly durations = new Durations(requestBuckets);
  readonly #byClass = new Float64Array(statusClasses.length);

  constructor(api: string, operation: string) {
    this.labels = { api, operation };
  }

  /** @param status of the response; 0 when the client was gone before it was complete */
  record(status: number, seconds: number): void {
    const at = Math.min(Math.trunc(status / 100), statusClasses.length - 1);
    this.#byClass[at] = (this.#byClass[at] ?? 0) + 1;
    this.durations.record(seconds);
  }

  byClass(): [status: string, count: number][] {
    return statusClasses.flatMap((status, at): [string, number][] => {
      const count = this.#byClass[at] ?? 0;
      return count === 0 ? [] : [[status, count]];
    });
  }
}

/** Counts the requests of each operation. The operations are those of the API trees, so there are only so many. */
export class RequestMetrics {
  /** Requests that reached no operation: pages, unknown paths, preflights. */
  readonly others = new OperationRequests('none', 'none');
  readonly #operations: OperationRequests[] = [this.others];
  readonly #refused = new Map<string, number>();

  constructor(registry: Registry) {
    copiedCounter({
      registry,
      name: 'edge_requests_total',
      help: 'Requests by operation and class of the status. An aborted one has lost its client.',
      labels: ['api', 'operation', 'status'],
      lines: () =>
        this.#used().flatMap(({ labels, byClass }) =>
          byClass.map(([status, count]): MetricLine => [{ ...labels, status }, count]),
        ),
    });
    copiedHistogram({
      registry,
      name: 'edge_request_duration_seconds',
      help: 'Time from the headers of a request to the end of its response.',
      labels: ['api', 'operation'],
      lines: () => this.#used().map(({ labels, durations }) => [labels, durations]),
    });
    copiedCounter({
      registry,
      name: 'edge_request_errors_total',
      help: 'Requests that got an error, by its code in the catalogue.',
      labels: ['code'],
      lines: () => [...this.#refused].map(([code, count]) => [{ code }, count]),
    });
  }

  /** The requests of an operation, for those who count them. */
  of(api: string, operation: string): OperationRequests {
    const requests = new OperationRequests(api, operation);
    this.#operations.push(requests);
    return requests;
  }

  /** @param code of the catalogue */
  refuse(code: string): void {
    this.#refused.set(code, (this.#refused.get(code) ?? 0) + 1);
  }

  #used() {
    return this.#operations
      .map((operation) => ({ ...operation, byClass: operation.byClass() }))
      .filter(({ byClass }) => byClass.length > 0);
  }
}
