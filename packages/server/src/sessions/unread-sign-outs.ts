import type { Clock } from '../core/time/clock.ts';
import type { EndedSessions } from '../storage/revocation/ended-sessions.ts';
import type { Outbox } from '../storage/revocation/outbox.ts';

interface UnreadSignOutsOptions {
  readonly clock: Clock;
  readonly endedSessions: EndedSessions;
  readonly outbox: Outbox;
}

/** Milliseconds for which the sign-outs of addresses are counted. */
const period = 3_600_000;
/** Sign-outs that this controller records in a period: of all addresses, and of one. */
const [most, mostOfAddress] = [10_000, 100];

/**
 * Records who has signed out while the session store could not be read. The session has ended then, and is removed as soon as
 * the store replies again. Nobody knows whether there is a session with this token, so unauthenticated clients can add rows: their number is limited.
 */
export class UnreadSignOuts {
  readonly #parts: UnreadSignOutsOptions;
  #startedAt = Number.NEGATIVE_INFINITY;
  #total = 0;
  readonly #ofAddress = new Map<string, number>();

  constructor(parts: UnreadSignOutsOptions) {
    this.#parts = parts;
  }

  /**
   * Does nothing when the limits are reached.
   *
   * @param address the client as limits count it
   * @throws ApiError `STORE_UNAVAILABLE` when the entity database cannot be reached, either
   */
  async record(tokenHash: string, address: string): Promise<void> {
    if (!this.#count(address)) return;
    const { endedSessions, outbox } = this.#parts;
    await endedSessions.addWith([tokenHash], async (tx, added) => {
      if (added.length > 0) await outbox.add(tx, { kind: 'endSession', tokenHash });
    });
  }

  #count(address: string): boolean {
    const now = this.#parts.clock();
    if (Math.abs(now - this.#startedAt) >= period) {
      this.#startedAt = now;
      this.#total = 0;
      this.#ofAddress.clear();
    }
    const ofAddress = this.#ofAddress.get(address) ?? 0;
    if (this.#total >= most || ofAddress >= mostOfAddress) return false;
    this.#total += 1;
    this.#ofAddress.set(address, ofAddress + 1);
    return true;
  }
}
