import type { Arrival } from './network.ts';

/** A session, as the controller knows it. */
interface TrueSession {
  readonly id: string;
  readonly token: string;
  /** The sign-in, then what extended the session. */
  readonly uses: Arrival[];
  readonly peeks: Arrival[];
  signedOutAt: number;
}

const peekPath = '/edge/client/v1/current-api-session?touch=false';
export const usePath = '/edge/client/v1/current-identity';

/** Everything that can extend or end a session passes here, so it knows when each one ends. */
export class Truth {
  readonly #timeout: number;
  readonly #sessions: TrueSession[] = [];
  readonly #faults: string[] = [];
  #uses = 0;

  constructor(timeout: number) {
    this.#timeout = timeout;
  }

  faults(): readonly string[] {
    return this.#faults;
  }

  /** How many uses have reached the controller. */
  uses(): number {
    return this.#uses;
  }

  readonly note = (arrival: Arrival): void => {
    const { method, path, token, status, sentAt, body } = arrival;
    if (status < 200 || status > 299) return;
    if (method === 'POST' && path.includes('/authenticate?')) {
      const { id = '', token: issued = '' } = body.data ?? {};
      this.#sessions.push({ id, token: issued, uses: [arrival], peeks: [], signedOutAt: Number.POSITIVE_INFINITY });
      return;
    }
    const session = this.#sessions.find((one) => one.token === token);
    if (!session) return;
    if (method === 'DELETE') session.signedOutAt = Math.min(session.signedOutAt, sentAt);
    else if (path === peekPath) session.peeks.push(arrival);
    else if (path === usePath) {
      this.#uses += 1;
      session.uses.push(arrival);
    } else this.#faults.push(`the client used the session by itself: ${method} ${path}`);
  };

  /** Somebody signed out. `null`: of the session in the storage, before the page knew which one it is. */
  recordSignOut(id: string | null, at: number): void {
    const session = id === null ? this.newest(at) : this.#find(id);
    if (session) session.signedOutAt = Math.min(session.signedOutAt, at);
  }

  byToken(token: string | null): TrueSession | null {
    return this.#sessions.find((one) => one.token === token) ?? null;
  }

  /** The newest session of which a page knew at this time. */
  newest(at: number): TrueSession | null {
    return this.#sessions.findLast(({ uses: [begun] }) => begun?.isDelivered && begun.answeredAt <= at) ?? null;
  }

  /** When the session ends at the earliest and at the latest, by the uses that count. */
  end(
    id: string | null,
    counts: (use: Arrival) => boolean = () => true,
  ): { readonly from: number; readonly to: number } {
    const uses = this.#find(id)?.uses.filter(counts) ?? [];
    const from = Math.max(0, ...uses.map(({ sentAt }) => sentAt)) + this.#timeout;
    const to = Math.max(0, ...uses.map(({ answeredAt }) => answeredAt)) + this.#timeout;
    return { from, to };
  }

  /** Whether the session cannot have ended at this time. */
  isAlive(id: string | null, at: number): boolean {
    const { signedOutAt = 0 } = this.#find(id) ?? {};
    return at < signedOutAt && at < this.end(id, ({ answeredAt }) => answeredAt <= at).from;
  }

  peeks(id: string | null): readonly Arrival[] {
    return this.#find(id)?.peeks ?? [];
  }

  #find(id: string | null): TrueSession | undefined {
    return this.#sessions.find((one) => one.id === id);
  }
}
