import type { z } from 'zod';
import type { Clock } from '../../core/time/clock.ts';
import type { PeerSeal, Said } from './peer-seal.ts';
import { maxClockDifference } from './peer-seal.ts';

/** Milliseconds for which a state counts. Peers show theirs again before. */
export const showLifetime = 4_000;

interface Known {
  readonly said: Said;
  /** Milliseconds of `performance.now()` at which it was found. */
  readonly since: number;
  /** `null`: its controller has stopped, or it fits no schema. */
  readonly state: object | null;
}

interface ShownStatesOptions {
  readonly seal: PeerSeal;
  readonly clock: Clock;
  /** The key of a peer. */
  readonly keyOf: (peerId: string) => string;
  /** Gets why a state is ignored. */
  readonly refuse: (reason: string) => void;
}

/**
 * The states of the peers, as they were found last. A state counts until it is out of date, also when somebody has written over it or
 * deleted it: a controller that stops says so.
 */
export class ShownStates {
  readonly #parts: ShownStatesOptions;
  readonly #known = new Map<string, Known>();

  constructor(parts: ShownStatesOptions) {
    this.#parts = parts;
  }

  /** The peers that may live. */
  ids(): readonly string[] {
    this.#forgetOld();
    return [...this.#known.keys()];
  }

  /** Takes over what was found at the key of a peer. */
  read<State extends object>(peerId: string, text: string, schema: z.ZodType<State>): void {
    const { seal, keyOf, refuse } = this.#parts;
    const said = seal.read(statePlace(keyOf(peerId)), text);
    if (said?.from !== peerId) {
      refuse('a state that no controller has written');
      return;
    }
    const known = this.#known.get(peerId);
    if (known && said.number <= known.said.number) return;
    if (Math.abs(this.#parts.clock() - said.at) > maxClockDifference) {
      refuse('a state of another time: it is old, or the clock of its controller differs');
      return;
    }
    const isSame = known?.said.json === said.json;
    const state = isSame ? known.state : this.#parse(said.json, schema);
    this.#known.set(peerId, { said, since: performance.now(), state });
  }

  /** Those that count now. */
  all<State>(): ReadonlyMap<string, State> {
    const now = performance.now();
    const live = [...this.#known].filter(([, { since, state }]) => state !== null && now - since <= showLifetime);
    return new Map(live.map(([id, { state }]) => [id, state as State]));
  }

  #parse<State extends object>(json: string, schema: z.ZodType<State>): State | null {
    const value: unknown = JSON.parse(json);
    if (value === null) return null;
    const read = schema.safeParse(value);
    if (!read.success) this.#parts.refuse('a state that this version does not know');
    return read.success ? read.data : null;
  }

  /** An older state is refused for as long as its time alone would not do. */
  #forgetOld(): void {
    const before = performance.now() - 2 * maxClockDifference;
    for (const [id, { since }] of this.#known) if (since < before) this.#known.delete(id);
  }
}

/** What the seal of a state is bound to, besides its controller: no message is taken for a state. */
export function statePlace(key: string): string {
  return `state ${key}`;
}
