import type { AuthPolicy } from '../credentials/sign-in-rules/auth-policy.ts';
import type { ApiSessionRecord } from '../storage/session-store/session-store.ts';

const minute = 60_000;

/** What limits the life of API sessions, however much they are used. */
interface Limits {
  readonly policy: AuthPolicy;
  /** Milliseconds. `null`: the setting limits nothing. */
  readonly maxLifetime: number | null;
}

/**
 * The first of the ends that an API session has: its own, that of the setting, that of its auth policy. In milliseconds since
 * 1970; `null`: only its timeout ends it.
 */
export function latestEnd(
  { createdAt, endsAt }: Pick<ApiSessionRecord, 'createdAt' | 'endsAt'>,
  { policy, maxLifetime }: Limits,
): number | null {
  const minutes = policy.primary.maxSessionMinutes ?? null;
  if (endsAt === null && maxLifetime === null && minutes === null) return null;
  return Math.min(
    endsAt ?? Number.POSITIVE_INFINITY,
    createdAt + (maxLifetime ?? Number.POSITIVE_INFINITY),
    createdAt + (minutes ?? Number.POSITIVE_INFINITY) * minute,
  );
}
