import type { FilterFields, Page, Query } from '../../core/filter/page.ts';
import type { SessionKey } from './session-key.ts';

/** What a session lets its owner do with the service. */
export type ServiceSessionType = 'Dial' | 'Bind';

/** The right of an API session to dial or to bind one service. It ends with the API session. */
export interface ServiceSession {
  /** As `serviceSessionId` makes it. */
  readonly id: string;
  readonly type: ServiceSessionType;
  readonly serviceId: string;
  readonly tags: Readonly<Record<string, unknown>>;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** A session, and the API session that it belongs to. */
export interface StoredServiceSession extends ServiceSession {
  readonly apiSession: SessionKey;
}

/** What distinguishes a session from all others: an API session has one for a service and a type. */
export type ServiceSessionPlace = Pick<StoredServiceSession, 'apiSession' | 'serviceId' | 'type'>;

/**
 * Stores the sessions of services. They disappear in the same moment as their API session. An API session has at most one for
 * a service and a type. Nothing here creates an API session or restarts its timeout.
 */
export interface ServiceSessionStore {
  /**
   * Adds a session, or returns the one that the API session already has for this service and type, in one atomic step.
   * `full`: the API session would have more than `limit`.
   */
  open(session: StoredServiceSession, limit: number): Promise<ServiceSession | 'full' | 'no session'>;
  /** Finds the session that the API session has for this service and type. Asking costs less than `open`. */
  present(place: ServiceSessionPlace): Promise<ServiceSession | null>;
  find(id: string): Promise<StoredServiceSession | null>;
  /** All sessions of an API session, in any order. Empty when it does not exist. */
  ofApiSession(apiSession: SessionKey): Promise<readonly StoredServiceSession[]>;
  /** All sessions of an identity, or of everybody, in batches. Those that are added meanwhile may be missing. */
  batches(identityId?: string): AsyncIterable<readonly StoredServiceSession[]>;
  /** Returns true to exactly one of several concurrent callers. */
  remove(session: StoredServiceSession): Promise<boolean>;
  /** `identityId`: only the sessions of this identity. */
  list(query: Query, identityId?: string): Promise<Page<StoredServiceSession>>;
}

/** The filter fields of sessions. */
export const serviceSessionFields: FilterFields = {
  id: { column: 'id', type: 'string' },
  createdAt: { column: 'createdAt', type: 'datetime' },
  updatedAt: { column: 'createdAt', type: 'datetime' },
  tags: { column: 'tags', type: 'tags' },
  isSystem: { column: null, type: 'boolean' },
  apiSession: { column: 'apiSessionId', type: 'string' },
  identity: { column: 'identityId', type: 'string' },
  service: { column: 'serviceId', type: 'string' },
  token: { column: 'id', type: 'string' },
  type: { column: 'type', type: 'string' },
};
