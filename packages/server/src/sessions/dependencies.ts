import type { ApiTree } from '@edge-controller/shared-types';
import type { AuditLog } from '../audit/audit-log.ts';
import type { HandlersWith, SessionCallWith } from '../core/call.ts';
import type { Settings } from '../core/config/schema.ts';
import type { EventBus } from '../core/events/bus.ts';
import type { Sealer } from '../core/secrets/sealer.ts';
import type { Clock } from '../core/time/clock.ts';
import type { ExternalJwts } from '../credentials/external-jwt/external-jwts.ts';
import type { Entities } from '../crud/entity.ts';
import type { NetworkPki } from '../pki/network-pki.ts';
import type { EntityStore } from '../storage/entity-store/entity-store.ts';
import type { EndedSessions } from '../storage/revocation/ended-sessions.ts';
import type { Outbox } from '../storage/revocation/outbox.ts';
import type { SessionStore } from '../storage/session-store/session-store.ts';
import type { ActiveSession } from './active-session.ts';
import type { AuthQuery } from './auth-state.ts';
import type { Principals } from './principals.ts';
import type { UnreadSignOuts } from './unread-sign-outs.ts';

/** What API sessions need. */
export interface Dependencies {
  readonly clock: Clock;
  readonly settings: Pick<
    Settings,
    'maxApiSessions' | 'maxSessionLifetime' | 'sessionTimeout' | 'stepUpMaxAge' | 'stepUpAdministration'
  >;
  readonly database: EntityStore;
  readonly definitions: Entities;
  readonly sessions: SessionStore;
  readonly endedSessions: EndedSessions;
  readonly outbox: Outbox;
  readonly unreadSignOuts: UnreadSignOuts;
  readonly principals: Principals;
  readonly events: EventBus;
  readonly audit: AuditLog;
  readonly sealer: Sealer;
  readonly pki: NetworkPki;
  /** All kinds of authentication queries, in the order of the wire. */
  readonly authQueries: readonly AuthQuery[];
  readonly externalJwts: ExternalJwts;
}

export type SessionCall = SessionCallWith<Dependencies, ActiveSession>;
export type Handlers<T extends ApiTree> = HandlersWith<T, Dependencies, ActiveSession>;
