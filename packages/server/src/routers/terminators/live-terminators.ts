import type { StoredServiceSession } from '../../storage/session-store/service-sessions.ts';
import { IndexedTable } from '../indexed-table.ts';

/** A terminator on a router of this controller. */
export interface LiveTerminator {
  readonly id: string;
  readonly routerId: string;
  /** The session of the service that hosts. */
  readonly sessionId: string;
  readonly apiSessionId: string;
  readonly session: StoredServiceSession;
}

/** The terminators on the routers that are connected to this controller. */
export class LiveTerminators extends IndexedTable<LiveTerminator, 'routerId' | 'sessionId' | 'apiSessionId'> {
  constructor() {
    super(['routerId', 'sessionId', 'apiSessionId']);
  }
}
