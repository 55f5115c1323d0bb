import type { ApiTree } from '@edge-controller/shared-types';
import type { CallWith, HandlersWith, SessionCallWith } from '../../core/call.ts';
import type { TrustedCas } from '../../credentials/certificates/trusted-cas.ts';
import type * as entities from '../../entities/services.ts';
import type { ActiveSession } from '../../sessions/active-session.ts';
import type { SessionStore } from '../../storage/session-store/session-store.ts';

/** What enrollments need. */
export interface Services extends Omit<entities.Services, 'sessions'> {
  readonly sessions: SessionStore;
  /** The CAs whose certificates enroll by themselves. */
  readonly enrollingCas: TrustedCas;
}

export type Call = CallWith<Services>;
export type SessionCall = SessionCallWith<Services, ActiveSession>;
export type Handlers<T extends ApiTree> = HandlersWith<T, Services, ActiveSession>;
