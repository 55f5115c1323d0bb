/** Milliseconds that an address stays trusted after a session check, and distrusted after a costly handshake. */
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

/** Addresses whose connections need no guard: somebody used an API session there, and no handshake has been costly since. */
export class KnownAddresses {
  readonly #known = new Map<string, Known>();

  isTrusted(address: string): boolean {
    return this.#find(address)?.isTrusted === true;
  }

  /** Trusts an address at which an API session was used, unless it is distrusted at the moment. */
  trust(address: string): void {
    if (!this.#find(address)) this.#add(address, { isTrusted: true, leaks: 0 });
  }

  /** Guards the connections of this address from now on, whatever sessions are used. */
  distrust(address: string): void {
    this.#add(address, { isTrusted: false, leaks: this.#find(address)?.leaks ?? 0 });
  }

  /**
   * Whether another chain of this address may be read with a leak. The next connections of the address are guarded, so their
   * chains need no such read.
   */
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
