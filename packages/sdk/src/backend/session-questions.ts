import { withDeadline } from '../errors/deadline.ts';
import { EdgeNetworkError } from '../errors/errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { AskControllers, SessionCredentials } from './ask-controllers.ts';
import { createLimiter } from './limiter.ts';
import type { SessionAnswers } from './session-answers.ts';
import type { KnownSession } from './verified-session.ts';
import { verifiedSessionOf } from './verified-session.ts';

interface QuestionParts {
  readonly askControllers: AskControllers;
  readonly answers: SessionAnswers;
  readonly clock: Clock;
  /** Milliseconds for one question. */
  readonly timeout: number;
  readonly maxEntries: number;
  /** The address of the first controller, for errors. */
  readonly target: string;
}

/** A verification that several requests may wait for. */
interface Question {
  /** By a clock that nobody can set. */
  readonly beganAt: number;
  /** Milliseconds since 1970; `null` before the request is sent. */
  askedAt: number | null;
  session: Promise<KnownSession | null>;
}

/** Asks for the session of the credentials. The key is their hash. */
export type AskForSession = (key: string, credentials: SessionCredentials) => Promise<KnownSession | null>;

/** How many verifications of known sessions run at once, and how many of other tokens. */
const maxRequests = 16;
/** How many other tokens may wait. */
const maxWaiting = 1_000;

/** Asks the controllers, once for all that ask at the same time. */
export function createSessionQuestions(parts: QuestionParts): AskForSession {
  const { askControllers, answers, clock, timeout, maxEntries, target } = parts;
  const onFull = () => new EdgeNetworkError(target, 'TOO_MANY_VERIFICATIONS', undefined);
  // Unknown tokens have a lane of their own: a flood of them delays nobody whose session is known.
  const lane = { limit: maxRequests, maxTime: timeout, onFull };
  const knownLane = createLimiter({ ...lane, maxWaiting: maxEntries });
  const unknownLane = createLimiter({ ...lane, maxWaiting });
  const running = new Map<string, Question>();

  async function askInTurn(key: string, credentials: SessionCredentials, question: Question, signal: AbortSignal) {
    // It may have waited until its deadline.
    signal.throwIfAborted();
    const askedAt = clock();
    question.askedAt = askedAt;
    const detail = await askControllers({ credentials, timeout, signal });
    const session = detail && verifiedSessionOf(detail, askedAt);
    answers.remember(key, { session, askedAt });
    return session;
  }

  /** A worker runtime may have dropped the request that asks, with its timers. */
  function isAlive({ beganAt, askedAt }: Question): boolean {
    return performance.now() - beganAt < timeout && (askedAt === null || answers.isYoung(askedAt));
  }

  return (key, credentials) => {
    const earlier = running.get(key);
    if (earlier && isAlive(earlier)) return earlier.session;
    const inTurn = answers.isKnown(key) ? knownLane : unknownLane;
    const question: Question = { beganAt: performance.now(), askedAt: null, session: Promise.resolve(null) };
    question.session = withDeadline({ signal: undefined, timeout, target }, (signal) =>
      inTurn(() => askInTurn(key, credentials, question, signal)),
    ).finally(() => {
      if (running.get(key) === question) running.delete(key);
    });
    running.set(key, question);
    return question.session;
  };
}
