import type { DataItem, Destination, Item } from './item.ts';

/** The connection of an application that is an end of a circuit. */
export interface Application {
  /** @returns whether the application keeps up */
  deliver(flags: number | undefined, body: Uint8Array): boolean;
  whenReady(run: () => void): void;
  /** The circuit has ended. */
  ended(reason: string): void;
  /** Takes nothing more of the application until `resume`. */
  pause(): void;
  resume(): void;
}

interface CircuitEndOptions {
  readonly circuitId: string;
  /** The address that the controller gave to this end. */
  readonly address: string;
  readonly isIngress: boolean;
  readonly application: Application;
  readonly forward: (item: Item) => void;
  readonly onClosed: () => void;
}

/** Bytes that may be on their way through the circuit. */
const window = 262_144;
const closedByPeer = 'close called';

/** One end of a circuit. What is lost on the way is sent again when the circuit has another way. */
export class CircuitEnd implements Destination {
  readonly #options: CircuitEndOptions;
  #sent = 0;
  #unacknowledged: DataItem[] = [];
  #onTheWay = 0;
  #received = 0;
  #taken = 0;
  #isClosed = false;

  constructor(options: CircuitEndOptions) {
    this.#options = options;
  }

  get address(): string {
    return this.#options.address;
  }

  get isIngress(): boolean {
    return this.#options.isIngress;
  }

  /** The sequence of the last item. */
  get sent(): number {
    return this.#sent;
  }

  send(flags: number | undefined, body: Uint8Array): void {
    if (this.#isClosed) return;
    this.#sent += 1;
    const item: DataItem = { kind: 'data', sequence: this.#sent, flags, body };
    this.#unacknowledged.push(item);
    this.#onTheWay += body.length;
    if (this.#onTheWay > window) this.#options.application.pause();
    this.#options.forward(item);
  }

  take(_circuitId: string, item: Item): void {
    if (this.#isClosed) return;
    if (item.kind === 'data') this.#deliver(item);
    else if (item.kind === 'acknowledgement') this.#acknowledged(item.sequence);
    else this.unrouted();
  }

  /** The application has closed it. */
  close(): void {
    if (this.#isClosed) return;
    this.#options.forward({ kind: 'close' });
    this.#finish();
  }

  /** The circuit is gone. */
  unrouted(): void {
    if (this.#isClosed) return;
    this.#options.application.ended(closedByPeer);
    this.#finish();
  }

  /** @returns whether something up to this sequence had not arrived */
  sendAgain(upTo: number): boolean {
    const [first] = this.#unacknowledged;
    if (this.#isClosed || !first || first.sequence > upTo) return false;
    for (const item of [...this.#unacknowledged]) this.#options.forward(item);
    return true;
  }

  #deliver({ sequence, flags, body }: DataItem): void {
    if (sequence === this.#received + 1) {
      this.#received = sequence;
      const { application } = this.#options;
      if (application.deliver(flags, body)) this.#take(sequence);
      else application.whenReady(() => this.#take(sequence));
    } else if (sequence <= this.#taken) this.#acknowledge();
  }

  #take(sequence: number): void {
    this.#taken = Math.max(this.#taken, sequence);
    if (!this.#isClosed) this.#acknowledge();
  }

  #acknowledge(): void {
    this.#options.forward({ kind: 'acknowledgement', sequence: this.#taken });
  }

  #acknowledged(sequence: number): void {
    while (this.#unacknowledged[0] && this.#unacknowledged[0].sequence <= sequence) {
      this.#onTheWay -= this.#unacknowledged.shift()?.body.length ?? 0;
    }
    if (this.#onTheWay <= window) this.#options.application.resume();
  }

  #finish(): void {
    this.#isClosed = true;
    this.#unacknowledged = [];
    this.#options.application.resume();
    this.#options.onClosed();
  }
}
