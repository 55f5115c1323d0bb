import { IndexedTable } from '../indexed-table.ts';
import type { Circuit } from './circuit.ts';

/** The circuits that this controller has made. Those of a controller that has ended flow on until they are idle. */
export class CircuitTable extends IndexedTable<Circuit, 'sessionId' | 'hostSessionId' | 'apiSessionId'> {
  constructor() {
    super(['sessionId', 'hostSessionId', 'apiSessionId']);
  }

  /** The circuits that begin at this router, end at it, or pass it. */
  through(routerId: string): readonly Circuit[] {
    return [...this.all()].filter(({ path }) => path.routers.includes(routerId));
  }
}
