import type { Circuit } from './circuit.ts';
import { CircuitTable } from './circuit-table.ts';

/** Milliseconds: a router checks every 5 seconds, and forgets a circuit on which nothing has come since its last check. */
const closingTime = 10_000;
const maxClosing = 100_000;

/**
 * Circuits that one end has closed. Their routers still pass on what is on its way, and may not inform the other end: it stays open until
 * they forget the circuit.
 */
export class ClosingCircuits {
  readonly #table = new CircuitTable();
  /** Milliseconds of `performance.now()`, in the order of time. */
  readonly #closedAt = new Map<string, number>();

  /** Those that a router may still have. */
  get table(): CircuitTable {
    this.#dropForgotten();
    return this.#table;
  }

  add(circuit: Circuit): void {
    this.#table.set(circuit);
    this.#closedAt.set(circuit.id, performance.now());
    this.#dropForgotten();
  }

  delete(circuitId: string): Circuit | null {
    this.#closedAt.delete(circuitId);
    return this.#table.delete(circuitId);
  }

  #dropForgotten(): void {
    const before = performance.now() - closingTime;
    for (const [id, at] of this.#closedAt) {
      if (at > before && this.#closedAt.size <= maxClosing) return;
      this.delete(id);
    }
  }
}
