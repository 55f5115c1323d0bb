import { IndexedTable } from '../indexed-table.ts';
import type { Circuit } from './circuit.ts';

type Key = 'sessionId' | 'hostSessionId' | 'apiSessionId' | 'hostApiSessionId';

/** Circuits, by the sessions of both ends. */
export class CircuitTable extends IndexedTable<Circuit, Key> {
  constructor() {
    super(['sessionId', 'hostSessionId', 'apiSessionId', 'hostApiSessionId']);
  }

  /** The circuits that were dialed with this session of a service, or end at a terminator of it. */
  ofSession(id: string): readonly Circuit[] {
    return [...this.of('sessionId', id), ...this.of('hostSessionId', id)];
  }

  /** The circuits with an end of this API session. */
  ofApiSession(id: string): readonly Circuit[] {
    return [...this.of('apiSessionId', id), ...this.of('hostApiSessionId', id)];
  }

  /** The circuits that begin at this router, end at it, or pass it. */
  through(routerId: string): readonly Circuit[] {
    return [...this.all()].filter(({ path }) => path.routers.includes(routerId));
  }
}
