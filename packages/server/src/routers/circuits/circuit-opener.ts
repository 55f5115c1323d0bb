import type { ServiceAccess } from '../../access/service-access/service-access.ts';
import type { JudgedServiceSession, ServiceSessions } from '../../access/service-sessions/service-sessions.ts';
import { base62Id } from '../../core/secrets/ids.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { TerminatorProblem } from '../../network/circuits/choose-terminator.ts';
import { chooseTerminator } from '../../network/circuits/choose-terminator.ts';
import type { RoutedCircuit } from '../../network/circuits/routes.ts';
import { firstRoutes } from '../../network/circuits/routes.ts';
import type { RouterNetwork } from '../../network/router-connections/router-network.ts';
import { sessionIdOf } from '../../pki/session-token.ts';
import type { EntityStore } from '../../storage/entity-store/entity-store.ts';
import type { StoredServiceSession } from '../../storage/session-store/service-sessions.ts';
import type { SessionStore } from '../../storage/session-store/session-store.ts';
import type { AuthorizationProblem, Authorizer, Presented } from '../authorize.ts';
import { problems } from '../authorize.ts';
import { mayUseRouter } from '../session-use.ts';
import type { HostedTerminator } from '../terminators/hosted-terminators.ts';
import { readPeerData, terminatorsOfService } from '../terminators/hosted-terminators.ts';
import type { Terminators } from '../terminators/terminators.ts';
import type { Circuit } from './circuit.ts';
import type { Circuits } from './circuits.ts';
import { OpeningCircuits } from './opening-circuits.ts';
import type { RouteSender } from './route-sender.ts';

const maxAttempts = 2;
/** Milliseconds for all attempts of one circuit: the application waits for 15 seconds. */
const routeTime = 10_000;
const invalidTerminator = 1;
/** Header numbers of peer data. */
const [publicKey, stickiness] = [1003, 1114];
const tooMany = { ...problems.internal, text: 'too many circuits are being opened' };

interface CircuitOpenerOptions {
  readonly database: EntityStore;
  readonly sessions: SessionStore;
  readonly network: RouterNetwork;
  readonly authorizer: Authorizer;
  readonly serviceAccess: ServiceAccess;
  readonly serviceSessions: ServiceSessions;
  readonly terminators: Terminators;
  readonly circuits: Circuits;
  readonly sender: RouteSender;
  readonly clock: Clock;
  /** The end of the ids of circuits that this controller has made. */
  readonly ownerId: string;
}

/** What an application asks for. */
export interface CircuitRequest extends Presented {
  readonly instanceId: string;
  /** What the dialer sends to the host, by header numbers. */
  readonly peerData: ReadonlyMap<number, Uint8Array>;
}

interface Refused {
  readonly problem: AuthorizationProblem;
  readonly circuitId?: string;
}

/** What the router of the dialer gets. */
export type Opened =
  | Refused
  | { readonly problem: null; readonly circuit: Circuit; readonly peerData: ReadonlyMap<number, Uint8Array> };

/** A circuit that its application may have, before it has a way. */
export interface WantedCircuit {
  readonly problem: null;
  readonly id: string;
  readonly valid: JudgedServiceSession;
  readonly routerId: string;
  readonly request: CircuitRequest;
  readonly service: { readonly strategy: string };
  /** Milliseconds of `performance.now()`. */
  readonly endsAt: number;
}

/** Where it ends. */
interface Target {
  readonly problem: null;
  readonly terminator: HostedTerminator;
  readonly host: StoredServiceSession;
  readonly stickinessToken: string | null;
}

/** Makes circuits. */
export class CircuitOpener {
  readonly #parts: CircuitOpenerOptions;
  readonly #opening = new OpeningCircuits();

  constructor(parts: CircuitOpenerOptions) {
    this.#parts = parts;
  }

  /** The controller that has made a circuit. */
  static ownerOf(circuitId: string): string {
    return circuitId.slice(circuitId.indexOf('~') + 1);
  }

  isOpening(circuitId: string): boolean {
    return this.#opening.has(circuitId);
  }

  /** Decides whether an application that is connected to this router may have a circuit. */
  async authorize(routerId: string, request: CircuitRequest): Promise<WantedCircuit | Refused> {
    const { authorizer, database, ownerId } = this.#parts;
    // Before anything is read: others at this router must not wait for that.
    const sessionId = await sessionIdOf(request.sessionToken);
    if (sessionId !== null && this.#opening.isFullForSession(routerId, sessionId)) return { problem: tooMany };
    const authorized = await authorizer.authorize(routerId, request, 'Dial');
    if ('problem' in authorized) return authorized;
    const { valid } = authorized;
    const service = await database.db
      .selectFrom('services')
      .select(['encryptionRequired', 'terminatorStrategy as strategy'])
      .where('id', '=', valid.session.serviceId)
      .executeTakeFirst();
    if (!service) return { problem: problems.service };
    if (service.encryptionRequired === 1 && !request.peerData.has(publicKey)) return { problem: problems.encryption };
    const id = `${base62Id()}~${ownerId}`;
    return { problem: null, id, valid, routerId, request, service, endsAt: performance.now() + routeTime };
  }

  /** Makes the circuit. It takes as long as the application that hosts the service needs to answer. */
  async open(wanted: WantedCircuit): Promise<Opened> {
    const { id, routerId, valid } = wanted;
    const { serviceId, apiSession } = valid.session;
    const dialer = { apiSessionId: apiSession.id, identityId: apiSession.identityId };
    using opening = this.#opening.begin(id, { routerId, serviceId, ...dialer });
    return opening === null ? { problem: tooMany } : await this.#attempt(wanted);
  }

  async #attempt(wanted: WantedCircuit): Promise<Opened> {
    let error = '';
    for (let attempt = 0; attempt < maxAttempts && performance.now() < wanted.endsAt; attempt += 1) {
      const target = await this.#choose(wanted);
      if (target.problem) return { problem: target.problem, circuitId: wanted.id };
      const routed = await this.#route(wanted, target.terminator, attempt);
      if ('path' in routed) return await this.#confirm(routed, wanted, target);
      error = routed.error;
    }
    const text = `exceeded maximum [${maxAttempts}] retries creating circuit [c/${wanted.id}] (${error})`;
    return { problem: { ...problems.internal, text }, circuitId: wanted.id };
  }

  /** Chooses a terminator whose host may still host there. The others are removed. */
  async #choose({ valid, request, routerId, service, endsAt }: WantedCircuit): Promise<Target | Refused> {
    const { database, terminators } = this.#parts;
    const { serviceId } = valid.session;
    let found = await terminatorsOfService(database, serviceId);
    const sticky = request.peerData.get(stickiness);
    const stickinessToken = sticky ? Buffer.from(sticky).toString() : null;
    const { instanceId } = request;
    while (performance.now() < endsAt) {
      const wanted = { strategy: service.strategy, instanceId, stickinessToken, random: Math.random };
      const choice = chooseTerminator(this.#costed(found, routerId), wanted);
      if (choice.terminator === null) return { problem: problemOf(choice.problem, serviceId, instanceId) };
      if (this.#opening.isFullForTerminator(routerId, choice.terminator.id)) {
        found = found.filter(({ id }) => id !== choice.terminator.id);
        if (found.some((other) => other.instanceId === instanceId)) continue;
        return { problem: tooMany };
      }
      const { terminator } = choice;
      const host = await this.#hostOf(terminator);
      if (host) return { problem: null, terminator, host, stickinessToken: choice.stickinessToken };
      await terminators.remove(terminator.routerId, [terminator.id]);
      found = found.filter(({ id }) => id !== terminator.id);
    }
    return { problem: problemOf('offline', serviceId, instanceId) };
  }

  /** The session with which a terminator is hosted. `null`: it may host there no more. */
  async #hostOf({ sessionId, routerId }: HostedTerminator): Promise<StoredServiceSession | null> {
    const { serviceAccess, serviceSessions, sessions } = this.#parts;
    const session = await sessions.serviceSessions.find(sessionId);
    const [host] = session ? await serviceSessions.validate([session]) : [];
    if (!host) return null;
    return (await mayUseRouter(serviceAccess, { session: host.session, routerId })) ? host.session : null;
  }

  #costed(terminators: readonly HostedTerminator[], routerId: string) {
    const { topology, costs } = this.#parts.network;
    const paths = topology.pathsFrom(routerId);
    const now = performance.now();
    return terminators.map((terminator) => ({
      ...terminator,
      dynamicCost: costs.costOf(terminator.id, now),
      pathCost: topology.routers.has(terminator.routerId)
        ? (paths.costTo(terminator.routerId) ?? ('unreachable' as const))
        : ('offline' as const),
    }));
  }

  /** Tells all routers of the path their routes. The last one dials the application. */
  async #route(
    { id, routerId, request, endsAt }: WantedCircuit,
    terminator: HostedTerminator,
    attempt: number,
  ): Promise<RoutedCircuit | { readonly error: string }> {
    const { network, sender, terminators } = this.#parts;
    const path = network.topology.pathsFrom(routerId).pathTo(terminator.routerId);
    if (path === null) return { error: 'no path' };
    using dialing = this.#opening.dial(routerId, terminator.id);
    if (dialing === null) return { error: tooMany.text };
    const routed: RoutedCircuit = { id, path, ingressAddress: base62Id(), egressAddress: base62Id() };
    const timeout = Math.max(1, Math.floor(endsAt - performance.now()));
    const target = { binding: 'edge', address: terminator.id, peerData: Object.fromEntries(request.peerData) };
    const routes = firstRoutes(routed, { attempt, target, timeout });
    const results = await Promise.all(routes.map(({ routerId: to, route }) => sender.route(to, route, timeout)));
    const failed = results.flatMap((result) => (result.isRouted ? [] : [result]));
    if (failed.length === 0) {
      network.costs.dialSucceeded(terminator.id, performance.now());
      return routed;
    }
    network.costs.dialFailed(terminator.id, performance.now());
    const reached = path.routers.filter((_, at) => results[at]?.isRouted);
    sender.unroute(id, reached, true);
    if (failed.some(({ code }) => code === invalidTerminator))
      await terminators.remove(terminator.routerId, [terminator.id]);
    return { error: failed[0]?.error ?? '' };
  }

  /** Looks again whether both ends may be connected: a right may have been taken away meanwhile. */
  async #confirm(routed: RoutedCircuit, { valid }: WantedCircuit, target: Target): Promise<Opened> {
    const { circuits, database, network } = this.#parts;
    const { terminator, stickinessToken } = target;
    const circuit = this.#circuitOf(routed, valid, target);
    circuits.table.set(circuit);
    const reading = Promise.all([this.#mayStay(circuit), readPeerData(database, terminator.id)]);
    const [mayStay, peerData] = await reading.catch((error: unknown) => {
      // Its dialer does not get it.
      circuits.end(circuit.id);
      throw error;
    });
    if (!mayStay || !circuits.table.get(circuit.id)) {
      circuits.end(circuit.id);
      return { problem: problems.session, circuitId: circuit.id };
    }
    const { links } = network.topology;
    if (circuit.path.links.some((id) => !links.get(id))) void circuits.reroute(circuit.id);
    const token = stickinessToken === null ? [] : [[stickiness, Buffer.from(stickinessToken)] as const];
    return { problem: null, circuit, peerData: new Map([...peerData, ...token]) };
  }

  async #mayStay({ uses }: Circuit): Promise<boolean> {
    const { serviceAccess, serviceSessions } = this.#parts;
    const live = await serviceSessions.validate(uses.map(({ session }) => session));
    if (live.length < uses.length) return false;
    return (await Promise.all(uses.map((use) => mayUseRouter(serviceAccess, use)))).every(Boolean);
  }

  #circuitOf(routed: RoutedCircuit, { session }: JudgedServiceSession, { terminator, host }: Target): Circuit {
    const { id: sessionId, serviceId, apiSession } = session;
    const now = this.#parts.clock();
    const [routerId = ''] = routed.path.routers;
    return {
      ...routed,
      ...{ serviceId, sessionId, apiSessionId: apiSession.id, clientId: apiSession.identityId },
      ...{ hostId: terminator.hostId, hostSessionId: host.id, hostApiSessionId: host.apiSession.id },
      terminatorId: terminator.id,
      ...{ createdAt: now, updatedAt: now },
      uses: [
        { session, routerId },
        { session: host, routerId: terminator.routerId },
      ],
    };
  }
}

function problemOf(problem: TerminatorProblem, serviceId: string, instanceId: string): AuthorizationProblem {
  if (problem === 'none') return { ...problems.internal, text: `service ${serviceId} has no terminators` };
  const state = problem === 'no instance' ? 'terminators' : 'online terminators';
  return { ...problems.internal, text: `service ${serviceId} has no ${state} for instanceId ${instanceId}` };
}
