import type { ApiTree } from '@edge-controller/shared-types';
import type { ServiceAccess } from '../../access/service-access/service-access.ts';
import type { ServiceSessions } from '../../access/service-sessions/service-sessions.ts';
import type { CallWith, HandlersWith, SessionCallWith } from '../../core/call.ts';
import type { Settings } from '../../core/config/schema.ts';
import type { TrustedCas } from '../../credentials/certificates/trusted-cas.ts';
import type * as entities from '../../entities/dependencies.ts';
import type { ActiveSession } from '../../sessions/active-session.ts';
import type * as sessions from '../../sessions/dependencies.ts';

/** What sign-ins and answers to authentication queries need. */
export interface Dependencies
  extends Omit<entities.Dependencies, 'sessions' | 'settings'>,
    Omit<sessions.Dependencies, 'settings'> {
  readonly settings: entities.Dependencies['settings'] &
    sessions.Dependencies['settings'] &
    Pick<
      Settings,
      'jwtClockTolerance' | 'sessionHeaders' | 'totpAttempts' | 'totpAttemptWindow' | 'totpIssuer' | 'totpLabel'
    >;
  /** The CAs whose certificates sign in. */
  readonly trustedCas: TrustedCas;
  readonly serviceAccess: ServiceAccess;
  readonly serviceSessions: ServiceSessions;
}

export type AuthenticationCall = CallWith<Dependencies>;
export type SessionCall = SessionCallWith<Dependencies, ActiveSession>;
export type Handlers<T extends ApiTree> = HandlersWith<T, Dependencies, ActiveSession>;
