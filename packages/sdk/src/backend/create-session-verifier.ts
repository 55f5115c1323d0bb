import { trustingFetch } from '#trusting-fetch';
import type { Fetch } from '../api/fetch.ts';
import { withDeadline } from '../errors/deadline.ts';
import type { Clock } from '../lib/clock.ts';
import { systemClock } from '../lib/clock.ts';
import { controllerUrls } from '../requests/controller-url.ts';
import { createAskControllers } from './ask-controllers.ts';
import { createSessionAnswers } from './session-answers.ts';
import { createSessionQuestions } from './session-questions.ts';
import type { EdgeSessionOptions, RequestWithHeaders, SessionVerifier, VerifyOptions } from './session-verifier.ts';
import { createSha256 } from './sha256.ts';
import { verifyRequest } from './verify-request.ts';

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
 * console.log(session === null ? 'nobody' : session.identity.name);
 */
export function createSessionVerifier(options: SessionVerifierOptions): SessionVerifier {
  const { controller, maxAge = 10_000, maxEntries = 10_000, timeout = 5_000, clock = systemClock } = options;
  checkLimits({ maxAge, maxEntries, timeout });
  const sessionHeader = (options.sessionHeader ?? 'svc-session').toLowerCase();
  const controllers = controllerUrls(controller);
  const askControllers = createAskControllers({ controllers, fetch: fetchOf(options), sessionHeader });
  const target = controllers[0].base;
  const answers = createSessionAnswers({ clock, maxAge, maxEntries });
  const ask = createSessionQuestions({ askControllers, answers, clock, timeout, maxEntries, target });
  const sha256 = createSha256();

  async function verify(token: string | null | undefined, { signal, secondaryToken }: VerifyOptions) {
    signal?.throwIfAborted();
    if (typeof token !== 'string' || !tokenForm.test(token)) return null;
    const isJwt = typeof secondaryToken === 'string' && jwtForm.test(secondaryToken);
    const credentials = { token, secondaryToken: isJwt ? secondaryToken : null };
    // By a hash, so that the memory of the verifier has no tokens. A token has no spaces.
    const key = await sha256(`${token} ${credentials.secondaryToken ?? ''}`);
    const answer = answers.fresh(key);
    if (answer !== undefined) return answer.session;
    // The question of another request may have no timer any more. It ends by its own one otherwise.
    return withDeadline({ signal, timeout: timeout + 100, target }, () => ask(key, credentials));
  }

  const verifySession = async (token: string | null | undefined, given: VerifyOptions = {}) => {
    const session = await verify(token, given);
    return session?.state === 'partial' && given.allowPartial !== true ? null : session;
  };
  const parts = { verifySession, sessionHeader, clock };
  const verifier = {
    sessionHeader,
    verifySession,
    verifyRequest: (request: RequestWithHeaders, given: EdgeSessionOptions = {}) =>
      verifyRequest(parts, request, given),
  };
  // The compiler does not see that the options decide which sessions there are.
  return verifier as SessionVerifier;
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

export function fetchOf({ fetch, ca, caFile }: Pick<SessionVerifierOptions, 'fetch' | 'ca' | 'caFile'>): () => Fetch {
  if (ca === undefined && caFile === undefined) return () => fetch ?? ((input, init) => globalThis.fetch(input, init));
  if (fetch !== undefined) throw new TypeError('ca and caFile have no effect on a custom fetch; use one or the other');
  return trustingFetch({ ca, caFile });
}
