import type { Clock } from './clock.ts';
import { jwtExpiry } from './jwt-expiry.ts';
import { tokenError } from './token-error.ts';

/** What the client says when it asks for a JWT. */
export interface TokenRequest {
  /**
   * - `needed`: the client has no JWT, as at every sign-in with `signIn.extJwt`
   * - `expired`: the JWT that it has expires soon or has expired
   * - `refused`: the controller did not accept the JWT that it has
   */
  readonly reason: 'needed' | 'expired' | 'refused';
  /** Aborts when no call waits for the JWT any more. */
  readonly signal: AbortSignal;
}

/**
 * Returns a JWT of an external signer, or `null` when there is none at the moment. The client asks once for all calls
 * that wait. It must not make calls of the same client that need a session. An error that it throws is the error of the
 * calls.
 */
export type GetToken = (request: TokenRequest) => string | null | Promise<string | null>;

type Reason = TokenRequest['reason'];

export interface TokenSource {
  /** The JWT, or `null`. Asks for one when there is none, or when it expires soon or was rejected. */
  get(signal: AbortSignal): Promise<string | null>;
  /** The JWT at hand. */
  readonly held: () => string | null;
  /** The controller did not accept this JWT: the next `get` asks for another one. */
  reject(jwt: string, reason: Reason): void;
  /** Whether the JWT at hand was rejected. */
  readonly isRejected: () => boolean;
  forget(): void;
}

interface Held {
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

/** Keeps the JWT that `getToken` returns. */
export function createTokenSource(getToken: GetToken, clock: Clock): TokenSource {
  let held: Held | null = null;
  let question: Question | null = null;

  function hold(jwt: string): void {
    if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(jwt)) throw tokenError('NOT_A_JWT');
    const now = clock();
    const expiresAt = jwtExpiry(jwt);
    // A JWT that looks expired when it comes is used until the controller refuses it: the clocks may differ.
    const renewAt =
      expiresAt <= now ? Number.POSITIVE_INFINITY : expiresAt - Math.min(maxMargin, (expiresAt - now) / 10);
    held = { jwt, expiresAt, renewAt, rejected: null };
  }

  function ask(reason: Reason): Question {
    const aborter = new AbortController();
    const { signal } = aborter;
    const answer = Promise.resolve()
      .then(() => getToken({ reason, signal }))
      .then((jwt) => {
        if (signal.aborted) return null;
        held = null;
        if (jwt) hold(jwt);
        return jwt || null;
      })
      .finally(() => {
        if (question === asked) question = null;
      });
    // Nobody may wait any more. An unhandled rejection would end a Node process.
    answer.catch(() => undefined);
    const asked: Question = { answer, aborter, waiting: 0 };
    return asked;
  }

  async function join(reason: Reason, signal: AbortSignal): Promise<string | null> {
    signal.throwIfAborted();
    question ??= ask(reason);
    const joined = question;
    joined.waiting += 1;
    let leave = () => {};
    const left = new Promise<never>((_resolve, reject) => {
      leave = () => {
        reject(signal.reason);
        joined.waiting -= 1;
        if (joined.waiting > 0) return;
        if (question === joined) question = null;
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

  async function renew(before: Held, signal: AbortSignal): Promise<string | null> {
    try {
      const isOld = clock() >= Math.min(before.renewAt, before.expiresAt);
      return await join(isOld ? 'expired' : (before.rejected ?? 'expired'), signal);
    } catch (error) {
      // A provider that fails for a moment must not cost a JWT that still works.
      if (signal.aborted || before.rejected !== null || clock() >= before.expiresAt) throw error;
      return before.jwt;
    }
  }

  return {
    async get(signal) {
      if (held === null) return join('needed', signal);
      return held.rejected === null && clock() < held.renewAt ? held.jwt : renew(held, signal);
    },
    held: () => held?.jwt ?? null,
    reject(jwt, reason) {
      if (held?.jwt === jwt) held = { ...held, rejected: reason };
    },
    isRejected: () => held !== null && held.rejected !== null,
    forget() {
      held = null;
      question?.aborter.abort();
      question = null;
    },
  };
}
