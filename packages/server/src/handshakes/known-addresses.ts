/** Milliseconds for which an address is trusted after a session check, and a stranger after what cost much. */
const lifetime = 3_600_000;
/** Addresses that are remembered. The oldest are forgotten first. */
const maxAddresses = 100_000;
/** Chains of one address that may be read with a leak of memory in this time. */
const maxLeaks = 16;

interface Known {
  readonly isTrusted: boolean;
  /** Milliseconds of `performance.now()`. */
  readonly until: number;
  readonly leaks: number;
}

/** Addresses whose connections need no guard: somebody used an API session there, and nothing since then cost much. */
export class KnownAddresses {
  readonly #known = new Map<string, Known>();

  isTrusted(address: string): boolean {
    return this.#find(address)?.isTrusted === true;
  }

  /** Somebody at this address used an API session. It changes nothing while the address has to be guarded. */
  trust(address: string): void {
    if (!this.#find(address)) this.#add(address, { isTrusted: true, leaks: 0 });
  }

  /** Guards the connections of this address from now on, whatever sessions are used. */
  distrust(address: string): void {
    this.#add(address, { isTrusted: false, leaks: this.#find(address)?.leaks ?? 0 });
  }

  /** Whether another chain of this address may be read with a leak. Its next connections are guarded, so they need none. */
  mayLeak(address: string): boolean {
    const leaks = (this.#find(address)?.leaks ?? 0) + 1;
    if (leaks <= maxLeaks) this.#add(address, { isTrusted: false, leaks });
    return leaks <= maxLeaks;
  }

  #find(address: string): Known | undefined {
    const known = this.#known.get(address);
    return known !== undefined && known.until > performance.now() ? known : undefined;
  }

  #add(address: string, known: Omit<Known, 'until'>): void {
    this.#known.delete(address);
    this.#known.set(address, { ...known, until: performance.now() + lifetime });
    const [oldest] = this.#known.keys();
    if (this.#known.size > maxAddresses && oldest !== undefined) this.#known.delete(oldest);
  }
}
