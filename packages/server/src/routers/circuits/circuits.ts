import type { Clock } from '../../core/time/clock.ts';
import type { Path } from '../../network/circuits/cheapest-path.ts';
import { cheapestPath } from '../../network/circuits/cheapest-path.ts';
import type { Link } from '../../network/circuits/link-table.ts';
import { circuitsOver } from '../../network/circuits/reroutes.ts';
import { rerouteRoutes, routersLeft } from '../../network/circuits/routes.ts';
import type { RouterNetwork } from '../../network/router-connections/router-network.ts';
import type { SessionUse } from '../session-use.ts';
import type { Circuit } from './circuit.ts';
import { CircuitTable } from './circuit-table.ts';
import { ClosingCircuits } from './closing-circuits.ts';
import type { RouteSender } from './route-sender.ts';

const maxAttempts = 2;
/** Milliseconds. */
const rerouteTime = 5_000;

interface CircuitsOptions {
  readonly network: RouterNetwork;
  readonly sender: RouteSender;
  readonly clock: Clock;
}

/** Keeps the circuits of this controller on paths that exist, and ends them. */
export class Circuits {
  /** The open ones that this controller has made. Those of a controller that has ended flow on until they are idle. */
  readonly table = new CircuitTable();
  readonly #parts: CircuitsOptions;
  readonly #closing = new ClosingCircuits();
  /** The circuits that get another path at the moment, and whether they need yet another one. */
  readonly #rerouting = new Map<string, boolean>();

  constructor(parts: CircuitsOptions) {
    this.#parts = parts;
  }

  /** The sessions whose connections may be open. */
  *inUse(): Generator<SessionUse, void> {
    for (const { uses } of this.#withClosing((table) => table.all())) yield* uses;
  }

  /** An end of a circuit has closed it: what is on its way may still arrive. */
  close(circuitId: string): void {
    const circuit = this.#remove(circuitId);
    if (!circuit) return;
    this.#closing.add(circuit);
    this.#parts.sender.unroute(circuitId, circuit.path.routers, false);
  }

  /** Ends a circuit at once, also one that is closing. */
  end(circuitId: string): void {
    const circuit = this.#remove(circuitId) ?? this.#closing.delete(circuitId);
    if (circuit) this.#parts.sender.unroute(circuitId, circuit.path.routers, true);
  }

  /** Ends the circuits of sessions of services, and those to their terminators. */
  endOfSessions(sessionIds: readonly string[]): void {
    for (const sessionId of sessionIds) {
      for (const { id } of this.#withClosing((table) => table.ofSession(sessionId))) this.end(id);
    }
  }

  /** Ends the circuits of a session that begin or end at its router. */
  endAt({ session, routerId }: SessionUse): void {
    const isThere = (use: SessionUse) => use.session.id === session.id && use.routerId === routerId;
    for (const { id, uses } of this.#withClosing((table) => table.ofSession(session.id))) {
      if (uses.some(isThere)) this.end(id);
    }
  }

  /** Ends the circuits with an end of these API sessions. */
  endOfApiSessions(apiSessionIds: readonly string[]): void {
    for (const apiSessionId of apiSessionIds) {
      for (const { id } of this.#withClosing((table) => table.ofApiSession(apiSessionId))) this.end(id);
    }
  }

  /** A router may carry nothing any more: what begins or ends there ends, and the rest gets another path. */
  leave(routerId: string): void {
    for (const circuit of this.#withClosing((table) => table.through(routerId))) {
      if (isEnd(circuit.path, routerId)) this.end(circuit.id);
      else void this.reroute(circuit.id);
    }
  }

  /** Links are gone: the circuits over them get another path, or end. */
  lost(links: readonly Pick<Link, 'id'>[]): void {
    if (links.length === 0) return;
    const circuits = circuitsOver(this.table.all(), new Set(links.map(({ id }) => id)));
    for (const { id } of circuits) void this.reroute(id);
  }

  /**
   * Gives a circuit the cheapest path of now. Without one, it ends. Both of its ends keep their addresses. Whoever asks while it gets a
   * path asks for one more.
   */
  async reroute(circuitId: string): Promise<void> {
    const isRerouting = this.#rerouting.has(circuitId);
    this.#rerouting.set(circuitId, isRerouting);
    if (isRerouting) return;
    try {
      do {
        this.#rerouting.set(circuitId, false);
        await this.#reroute(circuitId);
      } while (this.#rerouting.get(circuitId) === true);
    } finally {
      this.#rerouting.delete(circuitId);
    }
  }

  async #reroute(circuitId: string): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const circuit = this.table.get(circuitId);
      if (!circuit) return;
      const path = this.#pathOf(circuit);
      if (path === null) break;
      const next = { ...circuit, path, updatedAt: this.#parts.clock() };
      const results = await Promise.all(
        rerouteRoutes(next, rerouteTime).map(({ routerId, route }) =>
          this.#parts.sender.route(routerId, route, rerouteTime),
        ),
      );
      if (!this.table.get(circuitId)) {
        // It has ended meanwhile, and a router may not know it on its new path.
        this.#parts.sender.unroute(circuitId, path.routers, true);
        return;
      }
      if (results.every(({ isRouted }) => isRouted)) {
        this.table.set(next);
        this.#parts.sender.unroute(circuitId, routersLeft(circuit.path, path), false);
        return;
      }
    }
    this.end(circuitId);
  }

  #remove(circuitId: string): Circuit | null {
    const circuit = this.table.delete(circuitId);
    if (circuit) this.#parts.network.costs.circuitRemoved(circuit.terminatorId);
    return circuit;
  }

  #withClosing(select: (table: CircuitTable) => Iterable<Circuit>): readonly Circuit[] {
    return [...select(this.table), ...select(this.#closing.table)];
  }

  #pathOf({ path }: Circuit): Path | null {
    return cheapestPath(this.#parts.network.topology, path.routers[0] ?? '', path.routers.at(-1) ?? '');
  }
}

function isEnd({ routers }: Path, routerId: string): boolean {
  return routers[0] === routerId || routers.at(-1) === routerId;
}
