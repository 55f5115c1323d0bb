import type { Fetch } from '../api/fetch.ts';
import { withDeadline } from '../errors/deadline.ts';
import { EdgeNetworkError } from '../errors/errors.ts';
import type { Clock } from '../lib/clock.ts';
import { systemClock } from '../lib/clock.ts';
import { controllerUrls } from '../requests/controller-url.ts';
import type { SessionCredentials } from './ask-controllers.ts';
import { createAskControllers } from './ask-controllers.ts';
import { createLimiter } from './limiter.ts';
import { createSessionAnswers } from './session-answers.ts';
import { createSha256 } from './sha256.ts';
import type { VerifiedSession } from './verified-session.ts';
import { verifiedSessionOf } from './verified-session.ts';

/**
 * Options of `createSessionVerifier`.
 *
 * @example
 * const options: SessionVerifierOptions = { controller: 'https://localhost:1280', caFile: 'ca.pem', maxAge: 5_000 };
 * const verifier = createSessionVerifier(options);
 */
export interface SessionVerifierOptions {
  /** The URL of the controller. Several URLs: the next one is asked when one cannot be reached. */
  readonly controller: string | URL | readonly (string | URL)[];
  /** Node: PEM certificates of the CAs to trust, instead of those of the platform. Cannot be combined with `fetch`. */
  readonly ca?: string | readonly string[] | undefined;
  /** Node: path of a file with such certificates. It is read at the first verification. */
  readonly caFile?: string | undefined;
  /** Sends the requests. Default: the `fetch` of the platform. */
  readonly fetch?: Fetch | undefined;
  /**
   * Milliseconds for which an answer of the controller counts. A session that the controller ended is refused after at
   * most this time. 0: the controller is asked for every verification. Default 10000.
   */
  readonly maxAge?: number | undefined;
  /** How many sessions are remembered, and how many refused tokens. Default 10000. */
  readonly maxEntries?: number | undefined;
  /** Name of the header with the token. Default `svc-session`. */
  readonly sessionHeader?: string | undefined;
  /** Milliseconds for one verification, all controllers together. Default 5000. */
  readonly timeout?: number | undefined;
  /** Milliseconds since 1970. Default: the clock of the machine. */
  readonly clock?: Clock | undefined;
}

/**
 * Options of `verifySession`.
 *
 * @example
 * const options: VerifyOptions = { signal: AbortSignal.timeout(1_000) };
 * const session = await verifier.verifySession(token, options);
 */
export interface VerifyOptions {
  /** Ends the wait. The verification then rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
  /** The JWT that the auth policy of the identity demands with every request. It is sent to the controller only. */
  readonly secondaryToken?: string | null | undefined;
}

/** Verifies tokens of API sessions. Use one verifier for all requests. */
export interface SessionVerifier {
  /**
   * Says whose API session a token belongs to.
   *
   * @returns the session, which may be `partial`; `null` when there is no token, or when the controller says that it is
   *   not valid
   * @throws EdgeNetworkError, EdgeTimeoutError, EdgeApiError or EdgeInvalidResponseError when the controller cannot tell.
   *   This does not mean that the token is invalid.
   * @example const session = await verifier.verifySession(request.headers.get('svc-session'));
   */
  verifySession(token: string | null | undefined, options?: VerifyOptions): Promise<VerifiedSession | null>;
  /** Name of the header with the token, in lower case. */
  readonly sessionHeader: string;
}

/** A verification that several requests may wait for. */
interface Question {
  /** Milliseconds since 1970; `null` before the request is sent. */
  askedAt: number | null;
  session: Promise<VerifiedSession | null>;
}

/** How many verifications of known sessions run at once, and how many of other tokens. */
const maxRequests = 16;
/** How many other tokens may wait. */
const maxWaiting = 1_000;

/** The form of a token. The controller accepts no longer ones. */
const tokenForm = /^[\w.~+/=-]{1,128}$/;
const jwtForm = /^[\w-]+\.[\w-]+\.[\w-]*$/;

/**
 * Creates a verifier for a backend: the users of an application send the token of their API session to the backend, and
 * the verifier asks the controller whose it is. It remembers answers for `maxAge`, by a hash of the token.
 *
 * @throws TypeError when a URL or an option is not valid
 * @example
 * const verifier = createSessionVerifier({ controller: 'https://localhost:1280', caFile: '.edge-controller/pki/ca.pem' });
 * const session = await verifier.verifySession(token);
 * if (session?.state === 'full') console.log(session.identity.name);
 */
export function createSessionVerifier(options: SessionVerifierOptions): SessionVerifier {
  const { controller, maxAge = 10_000, maxEntries = 10_000, timeout = 5_000, clock = systemClock } = options;
  checkLimits({ maxAge, maxEntries, timeout });
  const sessionHeader = (options.sessionHeader ?? 'svc-session').toLowerCase();
  const controllers = controllerUrls(controller);
  const askControllers = createAskControllers({ controllers, fetch: fetchOf(options), sessionHeader });
  const target = controllers[0].base;
  const answers = createSessionAnswers({ clock, maxAge, maxEntries });
  const onFull = () => new EdgeNetworkError(target, 'TOO_MANY_VERIFICATIONS', undefined);
  // Unknown tokens have a lane of their own: a flood of them delays nobody whose session is known.
  const knownLane = createLimiter({ limit: maxRequests, maxWaiting: maxEntries, onFull });
  const unknownLane = createLimiter({ limit: maxRequests, maxWaiting, onFull });
  const running = new Map<string, Question>();
  const sha256 = createSha256();

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

  function ask(key: string, credentials: SessionCredentials): Promise<VerifiedSession | null> {
    const earlier = running.get(key);
    if (earlier && (earlier.askedAt === null || answers.isYoung(earlier.askedAt))) return earlier.session;
    const lane = answers.isKnown(key) ? knownLane : unknownLane;
    const question: Question = { askedAt: null, session: Promise.resolve(null) };
    question.session = withDeadline({ signal: undefined, timeout, target }, (signal) =>
      lane(() => askInTurn(key, credentials, question, signal)),
    ).finally(() => {
      if (running.get(key) === question) running.delete(key);
    });
    running.set(key, question);
    return question.session;
  }

  return {
    sessionHeader,
    async verifySession(token, { signal, secondaryToken } = {}) {
      signal?.throwIfAborted();
      if (typeof token !== 'string' || !tokenForm.test(token)) return null;
      const isJwt = typeof secondaryToken === 'string' && jwtForm.test(secondaryToken);
      const credentials = { token, secondaryToken: isJwt ? secondaryToken : null };
      // By a hash, so that the memory of the verifier has no tokens. A token has no spaces.
      const key = await sha256(`${token} ${credentials.secondaryToken ?? ''}`);
      const answer = answers.fresh(key);
      if (answer !== undefined) return answer.session;
      return withDeadline({ signal, timeout: Number.POSITIVE_INFINITY, target }, () => ask(key, credentials));
    },
  };
}

function checkLimits({
  maxAge,
  maxEntries,
  timeout,
}: Readonly<Record<'maxAge' | 'maxEntries' | 'timeout', number>>): void {
  for (const [name, value, least] of [
    ['maxAge', maxAge, 0],
    ['maxEntries', maxEntries, 1],
    ['timeout', timeout, 1],
  ] as const) {
    if (!(value >= least)) throw new TypeError(`${name} must be a number of at least ${least}`);
  }
}

function fetchOf({ fetch, ca, caFile }: SessionVerifierOptions): () => Promise<Fetch> {
  if (ca === undefined && caFile === undefined) {
    return async () => fetch ?? ((input, init) => globalThis.fetch(input, init));
  }
  if (fetch !== undefined) throw new TypeError('ca and caFile have no effect on a custom fetch; use one or the other');
  let loading: Promise<Fetch> | null = null;
  const load = async () => (await import('./trusting-fetch.ts')).trustingFetch(ca, caFile);
  return () => {
    loading ??= load().catch((error: unknown) => {
      loading = null;
      throw error;
    });
    return loading;
  };
}
