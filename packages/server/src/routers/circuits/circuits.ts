import { cheapestPath } from '../../circuits/cheapest-path.ts';
import type { TerminatorProblem } from '../../circuits/choose-terminator.ts';
import { chooseTerminator } from '../../circuits/choose-terminator.ts';
import type { Link } from '../../circuits/link-table.ts';
import { circuitsOver } from '../../circuits/reroutes.ts';
import type { RoutedCircuit } from '../../circuits/routes.ts';
import { firstRoutes, rerouteRoutes, routersLeft } from '../../circuits/routes.ts';
import type { EntityStore } from '../../entity-store/entity-store.ts';
import type { Clock } from '../../lib/clock.ts';
import { base62Id } from '../../lib/ids.ts';
import type { Logger } from '../../lib/log.ts';
import type { RouterNetwork } from '../../router-connections/router-network.ts';
import type { HeldSession, ServiceSessions } from '../../service-sessions/service-sessions.ts';
import type { SessionStore } from '../../session-store/session-store.ts';
import type { Authorizer, Presented, Problem } from '../authorize.ts';
import { problems } from '../authorize.ts';
import type { HostedTerminator } from '../terminators/hosted-terminators.ts';
import { terminatorsOfService } from '../terminators/hosted-terminators.ts';
import type { Terminators } from '../terminators/terminators.ts';
import type { Circuit } from './circuit.ts';
import { CircuitTable } from './circuit-table.ts';
import type { RouteSender } from './route-sender.ts';

const maxAttempts = 2;
/** Milliseconds for all attempts of one circuit: the application waits for 15 seconds. */
const routeTime = 10_000;
const rerouteTime = 5_000;
const invalidTerminator = 1;
/** Header numbers of peer data. */
const [publicKey, stickiness] = [1003, 1114];

interface Parts {
  readonly entities: EntityStore;
  readonly sessions: SessionStore;
  readonly network: RouterNetwork;
  readonly authorizer: Authorizer;
  readonly serviceSessions: ServiceSessions;
  readonly terminators: Terminators;
  readonly sender: RouteSender;
  readonly clock: Clock;
  readonly log: Logger;
  /** The end of the ids of circuits that this controller has made. */
  readonly ownerId: string;
}

/** What an application asks for. */
export interface CircuitRequest extends Presented {
  readonly instanceId: string;
  /** What the dialer tells the host, by header numbers. */
  readonly peerData: ReadonlyMap<number, Uint8Array>;
}

/** What the router of the dialer is told. */
export interface OpenedCircuit {
  readonly circuit: Circuit;
  readonly peerData: ReadonlyMap<number, Uint8Array>;
}

type Opened = OpenedCircuit | { readonly problem: Problem; readonly circuitId?: string };

/** A circuit before it has a way. */
interface Wanted {
  readonly id: string;
  readonly held: HeldSession;
  readonly routerId: string;
  readonly request: CircuitRequest;
  readonly service: { readonly strategy: string };
  readonly endsAt: number;
}

type Chosen =
  | { readonly problem: Problem }
  | { readonly problem: null; readonly terminator: HostedTerminator; readonly stickinessToken: string | null };

/** Makes circuits, keeps them on paths that exist, and ends them. */
export class Circuits {
  readonly table = new CircuitTable();
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The controller that has made a circuit. */
  static ownerOf(circuitId: string): string {
    return circuitId.slice(circuitId.indexOf('~') + 1);
  }

  /** Makes a circuit for an application that dials through a router. */
  async open(routerId: string, request: CircuitRequest): Promise<Opened> {
    const { authorizer, entities, ownerId } = this.#parts;
    const authorized = await authorizer.authorize(routerId, request, 'Dial');
    if ('problem' in authorized) return authorized;
    const { held } = authorized;
    const service = await entities.db
      .selectFrom('services')
      .select(['encryptionRequired', 'terminatorStrategy as strategy'])
      .where('id', '=', held.session.serviceId)
      .executeTakeFirst();
    if (!service) return { problem: { code: 6, text: 'invalid service' } };
    if (service.encryptionRequired === 1 && !request.peerData.has(publicKey)) return { problem: problems.encryption };
    const id = `${base62Id()}~${ownerId}`;
    return await this.#attempt({ id, held, routerId, request, service, endsAt: performance.now() + routeTime });
  }

  /** An end of a circuit has closed it. */
  close(circuitId: string, now = false): Circuit | null {
    const circuit = this.table.delete(circuitId);
    if (!circuit) return null;
    this.#parts.network.costs.circuitRemoved(circuit.terminatorId);
    this.#parts.sender.unroute(circuitId, circuit.path.routers, now);
    return circuit;
  }

  /** Ends the circuits of sessions of services, and those to their terminators. */
  closeOfSessions(sessionIds: readonly string[]): void {
    for (const sessionId of sessionIds) {
      const ended = [...this.table.of('sessionId', sessionId), ...this.table.of('hostSessionId', sessionId)];
      for (const { id } of ended) this.close(id, true);
    }
  }

  closeOfApiSessions(apiSessionIds: readonly string[]): void {
    for (const apiSessionId of apiSessionIds) {
      for (const { id } of this.table.of('apiSessionId', apiSessionId)) this.close(id, true);
    }
  }

  /** Ends the circuits through a router. */
  closeThrough(routerId: string): void {
    for (const { id, path } of [...this.table.all()]) if (path.routers.includes(routerId)) this.close(id, true);
  }

  /** Links are gone: the circuits over them get another path, or end. */
  lost(links: readonly Pick<Link, 'id'>[]): void {
    if (links.length === 0) return;
    for (const circuit of circuitsOver(this.table.all(), new Set(links.map(({ id }) => id))))
      void this.reroute(circuit);
  }

  /** Gives a circuit the cheapest path of now. Without one, it ends. Both of its ends keep their addresses. */
  async reroute(circuit: Circuit): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
      const path = this.#pathOf(circuit);
      if (path === null) break;
      const next = { ...circuit, path, updatedAt: this.#parts.clock() };
      const routes = rerouteRoutes(next, rerouteTime);
      const results = await Promise.all(
        routes.map(({ routerId, route }) => this.#parts.sender.route(routerId, route, rerouteTime)),
      );
      if (this.table.get(circuit.id) === undefined) return;
      if (results.every(({ isRouted }) => isRouted)) {
        this.table.set(next);
        this.#parts.sender.unroute(circuit.id, routersLeft(circuit.path, path), false);
        return;
      }
    }
    this.close(circuit.id, true);
  }

  #pathOf({ path }: Circuit) {
    return cheapestPath(this.#parts.network.topology, path.routers[0] ?? '', path.routers.at(-1) ?? '');
  }

  async #attempt(wanted: Wanted): Promise<Opened> {
    let error = '';
    for (let attempt = 0; attempt < maxAttempts && performance.now() < wanted.endsAt; attempt += 1) {
      const chosen = await this.#choose(wanted);
      if (chosen.problem) return { problem: chosen.problem, circuitId: wanted.id };
      const opened = await this.#route(wanted, chosen.terminator, attempt);
      if ('circuit' in opened) return await this.#confirm(opened, wanted, chosen);
      error = opened.error;
    }
    const text = `exceeded maximum [${maxAttempts}] retries creating circuit [c/${wanted.id}] (${error})`;
    return { problem: { ...problems.internal, text }, circuitId: wanted.id };
  }

  async #choose({ held, request, routerId, service }: Wanted): Promise<Chosen> {
    const { entities, network } = this.#parts;
    const { serviceId } = held.session;
    const found = await terminatorsOfService(entities, serviceId);
    const paths = network.topology.pathsFrom(routerId);
    const now = performance.now();
    const sticky = request.peerData.get(stickiness);
    const candidates = found.map((terminator) => ({
      ...terminator,
      dynamicCost: this.#parts.network.costs.costOf(terminator.id, now),
      pathCost: network.topology.routers.has(terminator.routerId)
        ? (paths.costTo(terminator.routerId) ?? ('unreachable' as const))
        : ('offline' as const),
    }));
    const choice = chooseTerminator(candidates, {
      ...{ strategy: service.strategy, instanceId: request.instanceId, random: Math.random },
      stickinessToken: sticky ? Buffer.from(sticky).toString() : null,
    });
    if (choice.terminator === null) return { problem: problemOf(choice.problem, serviceId, request.instanceId) };
    const { terminator, stickinessToken } = choice;
    return { problem: null, terminator, stickinessToken };
  }

  /** Tells all routers of the path their routes. The last one dials the application. */
  async #route(
    { id, held, routerId, request, endsAt }: Wanted,
    terminator: HostedTerminator,
    attempt: number,
  ): Promise<{ readonly circuit: Circuit } | { readonly error: string }> {
    const { network, sender, clock, terminators } = this.#parts;
    const path = network.topology.pathsFrom(routerId).pathTo(terminator.routerId);
    if (path === null) return { error: 'no path' };
    const routed: RoutedCircuit = { id, path, ingressAddress: base62Id(), egressAddress: base62Id() };
    const timeout = Math.max(1, Math.floor(endsAt - performance.now()));
    const target = { binding: 'edge', address: terminator.id, peerData: Object.fromEntries(request.peerData) };
    const routes = firstRoutes(routed, { attempt, target, timeout });
    const results = await Promise.all(routes.map(({ routerId: to, route }) => sender.route(to, route, timeout)));
    const failed = results.flatMap((result) => (result.isRouted ? [] : [result]));
    const { id: sessionId, serviceId, apiSession } = held.session;
    if (failed.length === 0) {
      this.#parts.network.costs.dialSucceeded(terminator.id, performance.now());
      const ids = { serviceId, sessionId, apiSessionId: apiSession.id, clientId: apiSession.identityId };
      const host = { hostId: terminator.hostId, hostSessionId: terminator.sessionId, terminatorId: terminator.id };
      const now = clock();
      const sessions = [held.session];
      return { circuit: { ...routed, ...ids, ...host, sessions, createdAt: now, updatedAt: now } };
    }
    this.#parts.network.costs.dialFailed(terminator.id, performance.now());
    const reached = path.routers.filter((_, at) => results[at]?.isRouted);
    sender.unroute(id, reached, true);
    if (failed.some(({ code }) => code === invalidTerminator))
      await terminators.remove(terminator.routerId, [terminator.id]);
    return { error: failed[0]?.error ?? '' };
  }

  /** Looks again whether both ends may be connected: a right may have been taken away meanwhile. */
  async #confirm(
    { circuit }: { readonly circuit: Circuit },
    { held }: Wanted,
    { terminator, stickinessToken }: Exclude<Chosen, { readonly problem: Problem }>,
  ): Promise<Opened> {
    this.table.set(circuit);
    const { serviceSessions, sessions, terminators } = this.#parts;
    const host = await sessions.serviceSessions.find(terminator.sessionId);
    const still = await serviceSessions.held([held.session, ...(host ? [host] : [])]);
    const isHeld = (id: string) => still.some(({ session }) => session.id === id);
    const isHostHeld = isHeld(terminator.sessionId);
    // Its router should have removed it.
    if (!isHostHeld) await terminators.remove(terminator.routerId, [terminator.id]);
    if (!isHostHeld || !isHeld(held.session.id) || !this.table.get(circuit.id)) {
      this.close(circuit.id, true);
      return { problem: isHostHeld ? problems.session : problems.terminator, circuitId: circuit.id };
    }
    const both = { ...circuit, sessions: still.map(({ session }) => session) };
    this.table.set(both);
    const token = stickinessToken === null ? [] : [[stickiness, Buffer.from(stickinessToken)] as const];
    return { circuit: both, peerData: new Map([...terminator.peerData, ...token]) };
  }
}

function problemOf(problem: TerminatorProblem, serviceId: string, instanceId: string): Problem {
  if (problem === 'none') return { ...problems.internal, text: `service ${serviceId} has no terminators` };
  const state = problem === 'no instance' ? 'terminators' : 'online terminators';
  return { ...problems.internal, text: `service ${serviceId} has no ${state} for instanceId ${instanceId}` };
}
