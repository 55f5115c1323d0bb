import type { TokenRequest } from '../api/get-token.ts';
import type { Clock } from '../lib/clock.ts';
import { jwtExpiry } from './jwt-expiry.ts';
import type { GivenJwt } from './token-error.ts';
import { tokenError } from './token-error.ts';

type Reason = TokenRequest['reason'];

interface KeptJwt {
  readonly jwt: string;
  readonly expiresAt: number;
  readonly renewAt: number;
  readonly rejected: Reason | null;
}

interface Question {
  readonly answer: Promise<string | null>;
  readonly aborter: AbortController;
  waiting: number;
}

/** The longest time before its expiry at which a JWT is replaced, in milliseconds. */
const maxMargin = 30_000;

/** Keeps a JWT: the text that was given, or what `getToken` returns. */
export class TokenSource {
  readonly #given: GivenJwt;
  readonly #clock: Clock;
  #kept: KeptJwt | null = null;
  #question: Question | null = null;

  constructor(given: GivenJwt, clock: Clock) {
    this.#given = given;
    this.#clock = clock;
  }

  /** The JWT, or `null`. Asks for one when there is none, or when it expires soon or was rejected. */
  async get(signal: AbortSignal): Promise<string | null> {
    const kept = this.#kept;
    if (kept === null) return this.#join('needed', signal);
    return kept.rejected === null && this.#clock() < kept.renewAt ? kept.jwt : this.#renew(kept, signal);
  }

  /** The JWT at hand. */
  kept(): string | null {
    return this.#kept?.jwt ?? null;
  }

  /** The controller did not accept this JWT: the next `get` asks for another one. */
  reject(jwt: string, reason: Reason): void {
    if (this.#kept?.jwt === jwt) this.#kept = { ...this.#kept, rejected: reason };
  }

  /** Whether the JWT at hand was rejected. */
  isRejected(): boolean {
    return this.#kept !== null && this.#kept.rejected !== null;
  }

  forget(): void {
    this.#kept = null;
    this.#question?.aborter.abort();
    this.#question = null;
  }

  #keep(jwt: string): void {
    if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(jwt)) throw tokenError('NOT_A_JWT', this.#given);
    const now = this.#clock();
    const expiresAt = jwtExpiry(jwt);
    // A JWT that looks expired when it comes is used until the controller refuses it: the clocks may differ.
    const renewAt =
      expiresAt <= now ? Number.POSITIVE_INFINITY : expiresAt - Math.min(maxMargin, (expiresAt - now) / 10);
    this.#kept = { jwt, expiresAt, renewAt, rejected: null };
  }

  #ask(reason: Reason): Question {
    const given = this.#given;
    const aborter = new AbortController();
    const { signal } = aborter;
    const answer = Promise.resolve()
      .then(() => (typeof given === 'string' ? given : given({ reason, signal })))
      .then((text) => {
        if (signal.aborted) return null;
        this.#kept = null;
        // The JWT of a file may end in a line feed.
        const jwt = String(text ?? '').trim();
        if (jwt) this.#keep(jwt);
        return jwt || null;
      })
      .finally(() => {
        if (this.#question === asked) this.#question = null;
      });
    // Nobody may wait any more. An unhandled rejection would end a Node process.
    answer.catch(() => undefined);
    const asked: Question = { answer, aborter, waiting: 0 };
    return asked;
  }

  async #join(reason: Reason, signal: AbortSignal): Promise<string | null> {
    signal.throwIfAborted();
    this.#question ??= this.#ask(reason);
    const joined = this.#question;
    joined.waiting += 1;
    let leave = () => {};
    const left = new Promise<never>((_resolve, reject) => {
      leave = () => {
        reject(signal.reason);
        joined.waiting -= 1;
        if (joined.waiting > 0) return;
        if (this.#question === joined) this.#question = null;
        joined.aborter.abort(signal.reason);
      };
    });
    signal.addEventListener('abort', leave, { once: true });
    try {
      return await Promise.race([joined.answer, left]);
    } finally {
      signal.removeEventListener('abort', leave);
    }
  }

  async #renew(before: KeptJwt, signal: AbortSignal): Promise<string | null> {
    const clock = this.#clock;
    try {
      const isOld = clock() >= Math.min(before.renewAt, before.expiresAt);
      return await this.#join(isOld ? 'expired' : (before.rejected ?? 'expired'), signal);
    } catch (error) {
      // A provider that fails for a moment must not cost a JWT that still works.
      if (signal.aborted || before.rejected !== null || clock() >= before.expiresAt) throw error;
      return before.jwt;
    }
  }
}
