import { isCertificateRefused, isUnsent } from '#tls-error';
import { systemClock } from '../lib/clock.ts';
import { retryAfter } from '../lib/retry-after.ts';
import type { Failure } from './exchange.ts';

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
  /** The controller failed. `isAsked`: the request goes to the next one. Otherwise only later calls do. */
  readonly next: (isAsked: boolean) => void;
}

/** Decides after each failure of one call whether it is sent again, and when. */
export interface RetryRules {
  /** `body`: of the response, if there is one. */
  mayRepeat(failure: Failure, body: unknown): boolean;
  /** Milliseconds before the next request. */
  pause(): number;
}

/** Asks the other controllers at once, and after a wait all of them again. */
export function createRetryRules(call: CallFacts): RetryRules {
  const { count, retries, isOnce, isRepeatable, endsAt, next } = call;
  let others = count - 1;
  let waits = 0;
  let isNext = false;
  let seconds: number | null = null;

  return {
    mayRepeat({ response, error }, body) {
      const { code } = (error ?? {}) as { code?: string | null };
      const isUnread = response?.status === 429 && hasEnvelope(body) && !isOnce;
      const isFree = isRepeatable || isUnread || (code && isUnsent(code));
      const isDown = response === undefined || response.status >= 500;
      isNext = Boolean(isFree) && isDown && others > 0;
      if (isDown) next(isNext);
      others = isNext ? others - 1 : count - 1;
      if (isNext || !isFree) return isNext;
      waits += 1;
      seconds = response ? retryAfter(response.headers) : null;
      if (waits > retries || (seconds ?? 0) > Math.min(maxRetryAfter, (endsAt - systemClock()) / 1_000)) return false;
      return response ? [429, 502, 503, 504].includes(response.status) : !(code && isCertificateRefused(code));
    },
    pause() {
      if (isNext) return 0;
      // Clients that were refused together must not come back together.
      return seconds === null
        ? Math.random() * Math.min(150 * 2 ** waits, 3_000)
        : seconds * (1_000 + Math.random() * 250);
    },
  };
}

/** The controller sends 429 before it acts on the request. A proxy may have sent a 429 without the envelope. */
function hasEnvelope(data: unknown): boolean {
  return typeof data === 'object' && data !== null && 'error' in data;
}
