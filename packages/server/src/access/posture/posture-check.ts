import type { contracts, PostureCheckFailure } from '@edge-controller/shared-types';
import type { EntityState } from '../../storage/entity-store/state.ts';
import type { PostureData } from './posture-data.ts';

export type PostureCheck = EntityState<(typeof contracts)['postureChecks']['fields']>;

/** What is known of the device of one API session, and of its second factor. Times are in milliseconds since 1970. */
export interface PostureFacts {
  readonly data: PostureData;
  /** When the session has sent its last right TOTP code. `null`: none of the TOTP that the identity has now. */
  readonly mfaPassedAt: number | null;
  readonly now: number;
}

/** Whether a posture check passes. Times are in milliseconds since 1970. */
export interface Outcome {
  readonly isPassing: boolean;
  /** When it stops passing by itself, or has stopped. `null`: never. */
  readonly endsAt: number | null;
  /** When what it was passed with has changed last. `null`: that is not shown. */
  readonly changedAt: number | null;
}

/** Why a posture check does not pass: what the device has, and what it must have. */
export type PostureFailure = Omit<PostureCheckFailure, 'postureCheckId' | 'postureCheckName' | 'postureCheckType'>;

/** One kind of posture checks. */
export interface CheckKind {
  readonly evaluate: (check: PostureCheck, facts: PostureFacts) => Outcome;
  readonly failure: (check: PostureCheck, facts: PostureFacts) => PostureFailure;
}

/** The outcome of a check that time does not change. */
export function constantly(isPassing: boolean): Outcome {
  return { isPassing, endsAt: null, changedAt: null };
}
