import { RecentlyUsed } from '../core/cache/recently-used.ts';

const maxRouters = 10_000;
/** Milliseconds between two renewals: certificates are costly, and a router that gets no answer asks again after 35 seconds. */
const minInterval = 1_000;

/** Limits how often routers renew their certificates, over all of their connections. */
export class Renewals {
  readonly #begunAt = new RecentlyUsed<number>(maxRouters);

  /** Whether the last renewal of a router was long enough ago. If so, one begins now. */
  begin(routerId: string): boolean {
    const now = performance.now();
    if (now - (this.#begunAt.get(routerId) ?? Number.NEGATIVE_INFINITY) < minInterval) return false;
    this.#begunAt.set(routerId, now);
    return true;
  }
}
