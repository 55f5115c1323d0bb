import { placeOfServiceSession } from '../../storage/session-store/service-session-id.ts';

/**
 * Most circuits that may be opened at the same time through one router: in all, and of one service, session, identity or
 * terminator, so that none takes the places of all others.
 */
const limits = { router: 1_000, service: 500, apiSession: 250, identity: 250, terminator: 250 } as const;

type Kind = keyof typeof limits;

/** A dialer, and what it dials. */
export interface Dialing {
  readonly routerId: string;
  readonly serviceId: string;
  readonly apiSessionId: string;
  readonly identityId: string;
}

/** The circuits that are not open yet, by the routers of their dialers. An application that hosts a service may take seconds for each. */
export class OpeningCircuits {
  readonly #ids = new Set<string>();
  readonly #counts = new Map<string, number>();

  has(circuitId: string): boolean {
    return this.#ids.has(circuitId);
  }

  /** Whether a further circuit with this session of a service is refused, because too many are being opened. Reads no store. */
  isFullForSession(routerId: string, sessionId: string): boolean {
    const place = placeOfServiceSession(sessionId);
    if (place === null) return false;
    const { serviceId, apiSessionId } = place;
    return (
      this.#isFull(keyOf(routerId, 'service', serviceId)) || this.#isFull(keyOf(routerId, 'apiSession', apiSessionId))
    );
  }

  isFullForTerminator(routerId: string, terminatorId: string): boolean {
    return this.#isFull(keyOf(routerId, 'terminator', terminatorId));
  }

  /** Counts a circuit until the returned object is disposed. `null`: too many are being opened. */
  begin(circuitId: string, { routerId, serviceId, apiSessionId, identityId }: Dialing): Disposable | null {
    const counted = this.#count([
      keyOf(routerId, 'router', routerId),
      keyOf(routerId, 'service', serviceId),
      keyOf(routerId, 'apiSession', apiSessionId),
      keyOf(routerId, 'identity', identityId),
    ]);
    if (counted === null) return null;
    this.#ids.add(circuitId);
    return {
      [Symbol.dispose]: () => {
        this.#ids.delete(circuitId);
        counted[Symbol.dispose]();
      },
    };
  }

  /** Counts a circuit that waits for the application behind a terminator. */
  dial(routerId: string, terminatorId: string): Disposable | null {
    return this.#count([keyOf(routerId, 'terminator', terminatorId)]);
  }

  #count(keys: readonly Key[]): Disposable | null {
    if (keys.some((key) => this.#isFull(key))) return null;
    for (const { text } of keys) this.#counts.set(text, (this.#counts.get(text) ?? 0) + 1);
    return {
      [Symbol.dispose]: () => {
        for (const { text } of keys) {
          const left = (this.#counts.get(text) ?? 0) - 1;
          if (left > 0) this.#counts.set(text, left);
          else this.#counts.delete(text);
        }
      },
    };
  }

  #isFull({ kind, text }: Key): boolean {
    return (this.#counts.get(text) ?? 0) >= limits[kind];
  }
}

interface Key {
  readonly kind: Kind;
  readonly text: string;
}

function keyOf(routerId: string, kind: Kind, id: string): Key {
  return { kind, text: `${routerId} ${kind} ${id}` };
}
