import type { Timers } from '../timers.ts';

interface ForwardFaultsOptions {
  readonly timers: Timers;
  /** Milliseconds between two reports. */
  readonly interval: number;
  /** Ids with spaces between them. */
  readonly report: (ids: string) => void;
  readonly canForward: (id: string) => boolean;
}

/** Ids in one report, and those that wait for it. */
const [maxReported, maxRecorded] = [100, 10_000];

/** The circuits for which something came that could not be forwarded. */
export class ForwardFaults {
  readonly #options: ForwardFaultsOptions;
  readonly #ids = new Set<string>();

  constructor(options: ForwardFaultsOptions) {
    this.#options = options;
    options.timers.every(options.interval, () => this.#report());
  }

  record(circuitId: string): void {
    if (this.#ids.size < maxRecorded) this.#ids.add(circuitId);
  }

  #report(): void {
    // The ways may have come in the meantime.
    const ids = [...this.#ids].filter((id) => !this.#options.canForward(id));
    this.#ids.clear();
    for (let at = 0; at < ids.length; at += maxReported) {
      this.#options.report(ids.slice(at, at + maxReported).join(' '));
    }
  }
}
