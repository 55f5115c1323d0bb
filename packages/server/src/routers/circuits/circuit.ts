import type { RoutedCircuit } from '../../network/circuits/routes.ts';
import type { CircuitView } from '../../network/router-connections/network-view.ts';
import type { SessionUse } from '../session-use.ts';

/** A way through the network that carries data between two applications. */
export interface Circuit extends RoutedCircuit, CircuitView {
  /** The session of the service with which it was dialed. */
  readonly sessionId: string;
  readonly apiSessionId: string;
  readonly hostId: string;
  readonly hostSessionId: string;
  readonly hostApiSessionId: string;
  /** The sessions of both ends, at the routers where it begins and ends. */
  readonly uses: readonly SessionUse[];
}
