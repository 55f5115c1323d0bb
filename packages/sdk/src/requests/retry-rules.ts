import type { Hooks, HTTPError, KyRequest } from 'ky';
import { loadCode } from '../errors/load-code.ts';
import { systemClock } from '../lib/clock.ts';
import { retryAfter } from '../lib/retry-after.ts';

/** The longest `Retry-After` that the client waits for, in seconds. */
const maxRetryAfter = 10;

interface CallFacts {
  /** How many controllers there are. */
  readonly count: number;
  /** How often the request is sent again after all of them have failed. */
  readonly retries: number;
  /** It must not be sent again after a response. */
  readonly isOnce: boolean;
  /** It may be sent again although a controller may have executed it. */
  readonly isRepeatable: boolean;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
  readonly init: RequestInit;
  /** The URL at the controller that is asked now. */
  readonly url: () => string;
  /** The controller failed. `isAsked`: the request goes to the next one. Otherwise only later calls do. */
  readonly next: (isAsked: boolean) => void;
}

/** Decides after each failure of one call whether ky sends it again, and when. */
export interface RetryRules {
  mayRepeat(error: Error): Promise<boolean>;
  /** Milliseconds before the next request. */
  pause(backoff: number): number;
  /** Adds a hook that sends the request to the controller that is asked now. */
  hooks(own?: Hooks): Hooks;
}

/** Asks the other controllers at once, and after a wait all of them again. */
export function createRetryRules(call: CallFacts): RetryRules {
  const { count, retries, isOnce, isRepeatable, endsAt, init, url, next } = call;
  let others = count - 1;
  let waits = 0;
  let isNext = false;
  let seconds: number | null = null;

  return {
    async mayRepeat(error) {
      const { response = null, data, code } = error as Partial<HTTPError> & { code?: string | null };
      // Browsers give no codes.
      const tls = code ? await loadCode(() => import('./later/tls-error.ts')) : null;
      const isUnread = response?.status === 429 && hasEnvelope(data) && !isOnce;
      const isFree = isRepeatable || isUnread || (code && tls?.isUnsent(code));
      const isDown = response === null || response.status >= 500;
      isNext = Boolean(isFree) && isDown && others > 0;
      if (isDown) next(isNext);
      others = isNext ? others - 1 : count - 1;
      if (isNext || !isFree) return isNext;
      waits += 1;
      seconds = response && retryAfter(response.headers);
      if (waits > retries || (seconds ?? 0) > Math.min(maxRetryAfter, (endsAt - systemClock()) / 1_000)) return false;
      return response ? [429, 502, 503, 504].includes(response.status) : !(code && tls?.isCertificateRefused(code));
    },
    pause(backoff) {
      if (isNext) return 0;
      // Clients that were refused together must not come back together.
      return seconds === null ? Math.random() * Math.min(backoff, 3_000) : seconds * (1_000 + Math.random() * 250);
    },
    hooks: (own) => ({
      ...own,
      beforeRetry: [
        async (state) => {
          const request = new Request(url(), { ...init, signal: state.request.signal }) as KyRequest;
          // ky skips the hooks after one that returns a request.
          for (const hook of own?.beforeRetry ?? []) await hook({ ...state, request });
          return request;
        },
      ],
    }),
  };
}

/** The controller sends 429 before it acts on the request. A proxy may have sent a 429 without the envelope. */
function hasEnvelope(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'error' in data;
}
