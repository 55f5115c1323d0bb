import type { AuditLog } from '../audit/audit-log.ts';
import type { SessionCallWith } from '../core/call.ts';
import type { EventBus } from '../core/events/bus.ts';
import type { Clock } from '../core/time/clock.ts';
import type { EntityStore } from '../storage/entity-store/entity-store.ts';
import type { Outbox } from '../storage/revocation/outbox.ts';
import type { Entities } from './entity.ts';

/** What reads of entities need. */
export interface Readers {
  readonly database: EntityStore;
  /** The definitions of all entities. */
  readonly definitions: Entities;
}

/** What lists and changes of entities need. The hooks of entities may need more. */
export interface Dependencies extends Readers {
  readonly clock: Clock;
  readonly events: EventBus;
  readonly audit: AuditLog;
  readonly outbox: Outbox;
}

/** What is known of the API session of a caller. */
export interface Session {
  readonly principal: { readonly id: string; readonly isAdmin: boolean };
}

/** Who changes data: a request with its API session, or the controller itself. */
export interface Caller extends Dependencies {
  readonly session?: Session;
  /** Address of the client and id of the request, if one asks for the change. */
  readonly clientAddress?: string;
  readonly requestId?: () => string;
}

export type SessionCall = SessionCallWith<Dependencies, Session>;
