import type { ApiTree } from '@edge-controller/shared-types';
import type { CallWith, HandlersWith, SessionCallWith } from '../../core/call.ts';
import type { TrustedCas } from '../../credentials/certificates/trusted-cas.ts';
import type * as entities from '../../entities/dependencies.ts';
import type { ActiveSession } from '../../sessions/active-session.ts';
import type { SessionStore } from '../../storage/session-store/session-store.ts';

/** What enrollments need. */
export interface Dependencies extends Omit<entities.Dependencies, 'sessions'> {
  readonly sessions: SessionStore;
  /** The CAs whose certificates enroll by themselves. */
  readonly enrollingCas: TrustedCas;
}

export type EnrollmentCall = CallWith<Dependencies>;
export type SessionCall = SessionCallWith<Dependencies, ActiveSession>;
export type Handlers<T extends ApiTree> = HandlersWith<T, Dependencies, ActiveSession>;
