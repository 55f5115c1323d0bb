import type { ApiTree } from '@edge-controller/shared-types';
import type { HandlersWith, SessionCallWith } from '../../core/call.ts';
import type { Settings } from '../../core/config/schema.ts';
import type * as crud from '../../crud/dependencies.ts';
import type { RouterNetwork } from '../../network/router-connections/router-network.ts';
import type { SessionSigner } from '../../pki/session-signer.ts';
import type { ActiveSession } from '../../sessions/active-session.ts';
import type * as sessions from '../../sessions/dependencies.ts';
import type { LivePosture } from '../service-access/live-posture.ts';
import type { ServiceAccess } from '../service-access/service-access.ts';
import type { ServiceUpdates } from '../service-updates/service-updates.ts';
import type { ServiceSessions } from './service-sessions.ts';

/** What sessions of services need. */
export interface Dependencies extends crud.Dependencies, Omit<sessions.Dependencies, 'settings'> {
  readonly settings: Pick<Settings, 'maxSessions' | 'sessionTimeout'>;
  readonly serviceUpdates: ServiceUpdates;
  readonly serviceAccess: ServiceAccess;
  readonly posture: LivePosture;
  readonly serviceSessions: ServiceSessions;
  readonly sessionSigner: SessionSigner;
  readonly routerNetwork: RouterNetwork;
}

export type SessionCall = SessionCallWith<Dependencies, ActiveSession>;
export type Handlers<T extends ApiTree> = HandlersWith<T, Dependencies, ActiveSession>;
