import type { RequestMetrics } from '../../operate/metrics/request-metrics.ts';
import type { Observer } from './on-completion.ts';

/** Counts each request for its operation, and each error for its code. */
export function countRequest(requests: RequestMetrics): Observer {
  return ({ res, state }, milliseconds) => {
    const { operation, errorCode } = state;
    const counted = operation?.requests ?? requests.others;
    counted.record(res.writableFinished ? res.statusCode : 0, milliseconds / 1_000);
    if (errorCode !== undefined) requests.refuse(errorCode);
  };
}
