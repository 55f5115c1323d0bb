import type { Forward } from '@edge-controller/router-messages';
import { FaultSubject, ForwardTo } from '@edge-controller/router-messages';
import type { RouterTimings } from '../options.ts';
import type { Timers } from '../timers.ts';
import type { Application } from './circuit-end.ts';
import { CircuitEnd } from './circuit-end.ts';
import { ForwardFaults } from './forward-faults.ts';
import type { Destination, Item } from './item.ts';

interface CircuitsOptions {
  readonly timers: Timers;
  readonly timings: RouterTimings;
  readonly reportFault: (subject: FaultSubject, id: string) => void;
  /** Id → milliseconds for which the circuit has been idle. */
  readonly confirm: (idleTimes: ReadonlyMap<string, number>) => void;
}

interface Circuit {
  /** Source → where what comes from there goes. All are addresses. */
  readonly forwards: Map<string, { readonly address: string; readonly isLink: boolean }>;
  readonly ends: Map<string, CircuitEnd>;
  /** Address → what came for an end that is not there yet. `null`: the end has been there, and is gone. */
  readonly waiting: Map<string, Item[] | null>;
  usedAt: number;
  /** It has ended, and goes when nothing passes any more. */
  isEnding: boolean;
}

interface NewEnd {
  readonly circuitId: string;
  readonly address: string;
  readonly isIngress: boolean;
  readonly application: Application;
}

const maxWaiting = 1_000;
/** How often an end sends again what did not arrive. */
const repetitions = 5;

/** The circuits that pass a router, and its ends of them. */
export class Circuits {
  readonly #options: CircuitsOptions;
  readonly #faults: ForwardFaults;
  readonly #circuits = new Map<string, Circuit>();
  readonly #links = new Map<string, Destination>();

  constructor(options: CircuitsOptions) {
    const { timers, timings, reportFault } = options;
    this.#options = options;
    this.#faults = new ForwardFaults({
      ...{ timers, interval: timings.forwardFault },
      report: (id) => reportFault(FaultSubject.FORWARD, id),
      canForward: (id) => this.#canForward(id),
    });
    timers.every(timings.unroute, () => this.#dropIdle());
    timers.every(timings.confirm, () => this.#confirmIdle());
  }

  get ids(): readonly string[] {
    return [...this.#circuits.keys()];
  }

  hasEnd(circuitId: string, address: string): boolean {
    return this.#circuits.get(circuitId)?.ends.has(address) ?? false;
  }

  /** Replaces the ways of a circuit. What was under way is sent again. */
  route(id: string, forwards: readonly Forward[]): void {
    const circuit = this.#circuits.get(id) ?? this.#add(id);
    circuit.forwards.clear();
    for (const { srcAddress, dstAddress, dstType } of forwards) {
      circuit.forwards.set(srcAddress, { address: dstAddress, isLink: dstType === ForwardTo.LINK });
    }
    circuit.isEnding = false;
    for (const end of circuit.ends.values()) this.#sendAgain(end, end.sent, 0);
  }

  /** `null`: there is no such circuit. */
  createEnd({ circuitId, address, isIngress, application }: NewEnd): CircuitEnd | null {
    const circuit = this.#circuits.get(circuitId);
    if (!circuit || circuit.waiting.get(address) === null) return null;
    const end = new CircuitEnd({
      ...{ circuitId, address, isIngress, application },
      forward: (item) => this.forward(circuitId, address, item),
      onClosed: () => this.#ended(circuitId, end),
    });
    circuit.ends.set(address, end);
    return end;
  }

  /** What came for an end before it was there. */
  deliverWaiting(circuitId: string, end: CircuitEnd): void {
    const waiting = this.#circuits.get(circuitId)?.waiting;
    const items = waiting?.get(end.address);
    if (!items) return;
    waiting?.delete(end.address);
    for (const item of items) end.take(circuitId, item);
  }

  forward(circuitId: string, source: string, item: Item): void {
    const circuit = this.#circuits.get(circuitId);
    const to = circuit?.forwards.get(source);
    if (!circuit || !to) {
      this.#faults.record(circuitId);
      return;
    }
    circuit.usedAt = performance.now();
    if (!to.isLink) {
      this.#forwardToEnd(circuitId, circuit, to.address, item);
      return;
    }
    const link = this.#links.get(to.address);
    if (link) link.take(circuitId, item);
    else this.#faults.record(circuitId);
  }

  unroute(id: string, now: boolean): void {
    const circuit = this.#circuits.get(id);
    if (!circuit) return;
    if (now) this.#drop(id, circuit);
    else circuit.isEnding = true;
  }

  /** Forgets a circuit that did not come about. */
  discard(id: string): void {
    if (this.#circuits.get(id)?.ends.size === 0) this.#circuits.delete(id);
  }

  addLink(id: string, link: Destination): void {
    this.#links.set(id, link);
  }

  removeLink(id: string): void {
    this.#links.delete(id);
  }

  #add(id: string): Circuit {
    const usedAt = performance.now();
    const circuit = { forwards: new Map(), ends: new Map(), waiting: new Map(), usedAt, isEnding: false };
    this.#circuits.set(id, circuit);
    return circuit;
  }

  #forwardToEnd(circuitId: string, circuit: Circuit, address: string, item: Item): void {
    const end = circuit.ends.get(address);
    if (end) {
      end.take(circuitId, item);
      return;
    }
    const waiting = circuit.waiting.get(address);
    if (waiting === undefined) circuit.waiting.set(address, [item]);
    else if (waiting !== null && waiting.length < maxWaiting) waiting.push(item);
  }

  #ended(circuitId: string, end: CircuitEnd): void {
    const circuit = this.#circuits.get(circuitId);
    circuit?.ends.delete(end.address);
    circuit?.waiting.set(end.address, null);
    this.#options.reportFault(end.isIngress ? FaultSubject.INGRESS : FaultSubject.EGRESS, circuitId);
  }

  #drop(id: string, circuit: Circuit): void {
    this.#circuits.delete(id);
    for (const end of [...circuit.ends.values()]) end.unrouted();
    // A real router reports nearly every circuit once more, because late acknowledgements find it gone.
    this.#faults.record(id);
  }

  #dropIdle(): void {
    const before = performance.now() - this.#options.timings.unroute;
    for (const [id, circuit] of [...this.#circuits])
      if (circuit.isEnding && circuit.usedAt <= before) this.#drop(id, circuit);
  }

  #confirmIdle(): void {
    const now = performance.now();
    const idle = [...this.#circuits].map(([id, { usedAt }]) => [id, now - usedAt] as const);
    const idleTimes = new Map(idle.filter(([, time]) => time >= this.#options.timings.idleCircuit));
    if (idleTimes.size > 0) this.#options.confirm(idleTimes);
  }

  #canForward(id: string): boolean {
    const circuit = this.#circuits.get(id);
    if (!circuit) return false;
    return [...circuit.forwards.values()].every(({ address, isLink }) => !isLink || this.#links.has(address));
  }

  #sendAgain(end: CircuitEnd, upTo: number, repeated: number): void {
    if (repeated === repetitions) return;
    this.#options.timers.after(this.#options.timings.retransmit * 2 ** repeated, () => {
      if (end.sendAgain(upTo)) this.#sendAgain(end, upTo, repeated + 1);
    });
  }
}
