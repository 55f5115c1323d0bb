import type { Clock } from '../lib/clock.ts';
import { createLruMap } from './lru-map.ts';
import type { KnownSession } from './verified-session.ts';

/** What a controller said about a token. */
export interface SessionAnswer {
  /** `null`: there is none. */
  readonly session: KnownSession | null;
  /** Milliseconds since 1970. */
  readonly askedAt: number;
}

interface RememberedAnswer extends SessionAnswer {
  /** When it came, by a clock that nobody can set. */
  readonly cameAt: number;
}

interface SessionAnswersOptions {
  readonly clock: Clock;
  /** Milliseconds. */
  readonly maxAge: number;
  readonly maxEntries: number;
}

export interface SessionAnswers {
  /** The answer, unless it is too old. */
  fresh(key: string): SessionAnswer | undefined;
  /** Whether an answer from that time is young enough. */
  isYoung(askedAt: number): boolean;
  /** Whether there was a session when a controller was asked last. */
  isKnown(key: string): boolean;
  remember(key: string, answer: SessionAnswer): void;
}

/**
 * The answers of the controllers by the hash of the token. Sessions and refusals have a space each, so that a stream of
 * random tokens displaces no session.
 */
export function createSessionAnswers({ clock, maxAge, maxEntries }: SessionAnswersOptions): SessionAnswers {
  const sessions = createLruMap<RememberedAnswer>(maxEntries);
  const refusals = createLruMap<RememberedAnswer>(maxEntries);

  function isYoung(askedAt: number): boolean {
    const age = clock() - askedAt;
    // After a step of the clock to the past nobody knows the age.
    return age >= 0 && age < maxAge;
  }

  return {
    isYoung,
    isKnown: (key) => sessions.get(key) !== undefined,
    fresh(key) {
      const answer = sessions.get(key) ?? refusals.get(key);
      if (answer === undefined || !isYoung(answer.askedAt)) return undefined;
      // The clock may have been set back and be right again.
      if (performance.now() - answer.cameAt >= maxAge) return undefined;
      return clock() < countsUntil(answer) ? answer : undefined;
    },
    remember(key, answer) {
      const earlier = sessions.get(key) ?? refusals.get(key);
      // The response to an earlier question may come later.
      if (earlier !== undefined && earlier.askedAt > answer.askedAt && earlier.askedAt <= clock()) return;
      const [place, other] = answer.session === null ? [refusals, sessions] : [sessions, refusals];
      other.delete(key);
      place.set(key, { ...answer, cameAt: performance.now() });
    },
  };
}

/**
 * Milliseconds since 1970. An answer counts for at most half of the session timeout. The next question then extends the session
 * before it ends, even when its user calls only this backend.
 */
function countsUntil({ session, askedAt }: SessionAnswer): number {
  const end = session?.expiresAt ?? null;
  return end === null ? Number.POSITIVE_INFINITY : (askedAt + end.getTime()) / 2;
}
