import type { RoutedCircuit } from '../../circuits/routes.ts';

/** A way through the network that carries data between two applications. */
export interface Circuit extends RoutedCircuit {
  readonly serviceId: string;
  /** The identity that dials. */
  readonly clientId: string;
  /** Its session of the service. */
  readonly sessionId: string;
  readonly apiSessionId: string;
  /** The identity that hosts. */
  readonly hostId: string;
  readonly hostSessionId: string;
  readonly terminatorId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}
