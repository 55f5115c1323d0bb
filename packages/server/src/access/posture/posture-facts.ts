import type { ApiSessionRecord } from '../../storage/session-store/session-store.ts';
import type { PostureFacts } from './posture-check.ts';
import type { PostureData } from './posture-data.ts';
import { readPostureData } from './posture-data.ts';

/** The facts when nothing is known. */
export function noPostureFacts(now: number): PostureFacts {
  return { data: readPostureData(null), mfaPassedAt: null, now };
}

/** The facts of an API session. `mfaId`: the TOTP that its identity has now. */
export function postureFactsOf(
  record: Pick<ApiSessionRecord, 'createdAt' | 'mfaId' | 'mfaPassedAt'>,
  { mfaId, data, now }: { readonly mfaId: string | null; readonly data: PostureData; readonly now: number },
): PostureFacts {
  const hasPassed = mfaId !== null && record.mfaId === mfaId;
  // An older version did not store the time.
  return { data, mfaPassedAt: hasPassed ? (record.mfaPassedAt ?? record.createdAt) : null, now };
}
