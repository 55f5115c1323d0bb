import { isoTime } from '../../core/time/clock.ts';
import type { Outcome, PostureCheck } from './posture-check.ts';

const never = -1;

/** How long a pass counts, and still counts, in seconds. -1: for ever. */
export function shownTimeout({ timeoutSeconds }: PostureCheck, { isPassing, endsAt }: Outcome, now: number) {
  const timeout = timeoutSeconds ?? never;
  if (!isPassing) return { timeout, timeoutRemaining: timeout === never && endsAt === null ? never : 0 };
  return { timeout, timeoutRemaining: endsAt === null ? never : Math.ceil((endsAt - now) / 1_000) };
}

/** When a pass ends or has ended, as a member of a posture query. Absent: never. */
export function shownEnd({ endsAt }: Outcome) {
  return endsAt === null ? {} : { timeoutAt: isoTime(endsAt) };
}
