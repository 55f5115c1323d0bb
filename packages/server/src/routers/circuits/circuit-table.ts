import type { Circuit } from './circuit.ts';

type Key = 'sessionId' | 'hostSessionId' | 'apiSessionId' | 'terminatorId';

/** The circuits that this controller has made. Those of a controller that has ended flow on until they are idle. */
export class CircuitTable {
  readonly #circuits = new Map<string, Circuit>();
  readonly #by: Readonly<Record<Key, Map<string, Set<string>>>> = {
    ...{ sessionId: new Map(), hostSessionId: new Map(), apiSessionId: new Map(), terminatorId: new Map() },
  };

  get size(): number {
    return this.#circuits.size;
  }

  get(id: string): Circuit | undefined {
    return this.#circuits.get(id);
  }

  all(): Iterable<Circuit> {
    return this.#circuits.values();
  }

  set(circuit: Circuit): void {
    this.#circuits.set(circuit.id, circuit);
    for (const key of keys) {
      const ids = this.#by[key].get(circuit[key]) ?? new Set();
      this.#by[key].set(circuit[key], ids.add(circuit.id));
    }
  }

  delete(id: string): Circuit | null {
    const circuit = this.#circuits.get(id);
    if (!circuit) return null;
    this.#circuits.delete(id);
    for (const key of keys) {
      const ids = this.#by[key].get(circuit[key]);
      ids?.delete(id);
      if (ids?.size === 0) this.#by[key].delete(circuit[key]);
    }
    return circuit;
  }

  /** The circuits with this member. */
  of(key: Key, value: string): readonly Circuit[] {
    return [...(this.#by[key].get(value) ?? [])].flatMap((id) => this.#circuits.get(id) ?? []);
  }
}

const keys: readonly Key[] = ['sessionId', 'hostSessionId', 'apiSessionId', 'terminatorId'];
