import type { SdkInfo } from '@edge-controller/shared-types';
import { lt, parse } from 'semver';
import { isoTime } from '../../../core/time/clock.ts';
import type { CheckKind, PostureCheck, PostureFacts } from '../posture-check.ts';
import { gracePeriod } from '../posture-data.ts';

/** The C SDK asks for codes again since this version. */
const firstAskingVersion = '0.25.0';
/** How the wire shows that there is no time. */
const noTime = '0001-01-01T00:00:00.000Z';

/** The session must have sent a right TOTP code, not too long ago. */
export const mfa: CheckKind = {
  evaluate(check, facts) {
    const { mfaPassedAt, now } = facts;
    if (mfaPassedAt === null) return { isPassing: false, endsAt: null, changedAt: null };
    const { endsAt, since } = endOf(check, facts, mfaPassedAt);
    return { isPassing: endsAt === null || now < endsAt, endsAt, changedAt: since };
  },

  failure(check, facts) {
    const { data, mfaPassedAt, now } = facts;
    const { endsAt } = mfaPassedAt === null ? { endsAt: null } : endOf(check, facts, mfaPassedAt);
    const time = (at: number | null) => (at === null ? noTime : isoTime(at));
    return {
      actualValue: {
        passedMfa: mfaPassedAt !== null,
        passedOnWake: !check.promptOnWake || passedPrompt(data.wokenAt, facts),
        passedOnUnlock: !check.promptOnUnlock || passedPrompt(data.unlockedAt, facts),
        timedOut: endsAt !== null && now >= endsAt,
      },
      expectedValue: { passedMfa: true, passedOnWake: true, passedOnUnlock: true, timedOut: false },
      criteria: {
        passedMfaAt: time(mfaPassedAt),
        wokenAt: time(data.wokenAt),
        unlockedAt: time(data.unlockedAt),
        timeoutSeconds: check.timeoutSeconds ?? -1,
        timeoutRemainingSeconds: 0,
      },
    };
  },
};

/** Whether a code was sent after this moment, or need not be sent yet. */
export function passedPrompt(at: number | null, { mfaPassedAt, now }: PostureFacts): boolean {
  return at === null || (mfaPassedAt !== null && (mfaPassedAt >= at || now < at + gracePeriod));
}

/** When a pass ends, `null` for never, and since when that is so. */
function endOf(
  { timeoutSeconds, promptOnWake, promptOnUnlock, ignoreLegacyEndpoints }: PostureCheck,
  { data }: PostureFacts,
  passedAt: number,
): { readonly endsAt: number | null; readonly since: number } {
  const forEver = { endsAt: null, since: passedAt };
  if (ignoreLegacyEndpoints && cannotAsk(data.sdkInfo)) return forEver;
  const timeout = timeoutSeconds !== null && timeoutSeconds > 0 ? timeoutSeconds * 1_000 : Number.POSITIVE_INFINITY;
  const prompts = [promptOnWake ? data.wokenAt : null, promptOnUnlock ? data.unlockedAt : null];
  const ends = [
    { endsAt: passedAt + timeout, since: passedAt },
    ...prompts.flatMap((at) => (at !== null && at > passedAt ? [{ endsAt: at + gracePeriod, since: at }] : [])),
  ];
  const first = ends.reduce((earliest, end) => (end.endsAt < earliest.endsAt ? end : earliest));
  return Number.isFinite(first.endsAt) ? first : forEver;
}

/** Whether a client cannot ask its user for another code. */
function cannotAsk(sdkInfo: SdkInfo | null): boolean {
  const version = sdkInfo?.type === 'ziti-sdk-c' ? parse(sdkInfo.version) : null;
  return version !== null && lt(version, firstAskingVersion);
}
