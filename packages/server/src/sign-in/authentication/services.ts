import type { ApiTree } from '@edge-controller/shared-types';
import type { ServiceAccess } from '../../access/service-access/service-access.ts';
import type { ServiceSessions } from '../../access/service-sessions/service-sessions.ts';
import type { CallWith, HandlersWith, SessionCallWith } from '../../core/call.ts';
import type { Settings } from '../../core/config/schema.ts';
import type { TrustedCas } from '../../credentials/certificates/trusted-cas.ts';
import type * as entities from '../../entities/services.ts';
import type { ActiveSession } from '../../sessions/active-session.ts';
import type * as sessions from '../../sessions/services.ts';

/** What sign-ins and answers to authentication queries need. */
export interface Services
  extends Omit<entities.Services, 'sessions' | 'settings'>,
    Omit<sessions.Services, 'settings'> {
  readonly settings: entities.Services['settings'] &
    sessions.Services['settings'] &
    Pick<
      Settings,
      'jwtClockTolerance' | 'sessionHeaders' | 'totpAttempts' | 'totpAttemptWindow' | 'totpIssuer' | 'totpLabel'
    >;
  /** The CAs whose certificates sign in. */
  readonly trustedCas: TrustedCas;
  readonly serviceAccess: ServiceAccess;
  readonly serviceSessions: ServiceSessions;
}

export type Call = CallWith<Services>;
export type SessionCall = SessionCallWith<Services, ActiveSession>;
export type Handlers<T extends ApiTree> = HandlersWith<T, Services, ActiveSession>;
