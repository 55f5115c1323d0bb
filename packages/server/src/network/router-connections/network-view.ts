import type { Path } from '../circuits/cheapest-path.ts';
import type { Link } from '../circuits/link-table.ts';

/** An open circuit. Times are milliseconds since 1970. */
export interface CircuitView {
  readonly id: string;
  /** The identity that dialed. */
  readonly clientId: string;
  /** The identity that hosts the service, if one does. */
  readonly hostId: string | null;
  readonly serviceId: string;
  readonly terminatorId: string;
  readonly path: Path;
  readonly createdAt: number;
  /** When its path has changed. */
  readonly updatedAt: number;
}

/** What the connected routers carry at the moment, in any order. */
export interface NetworkView {
  links(): Promise<readonly Link[]>;
  link(id: string): Promise<Link | null>;
  circuits(): Promise<readonly CircuitView[]>;
  circuit(id: string): Promise<CircuitView | null>;
  /** Closes a link at both ends and re-routes its circuits. False: there is no such link. */
  removeLink(id: string): Promise<boolean>;
}
