import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TLSSocket } from 'node:tls';
import { encode, FaultSchema, FaultSubject } from '@edge-controller/router-messages';
import type { Frame } from '@edge-controller/shared-types/channel';
import { controlTypes, FrameError } from '@edge-controller/shared-types/channel';
import { sessionId } from '../core/secrets/ids.ts';
import type { Link } from '../network/circuits/link-table.ts';
import { smartReroutes } from '../network/circuits/reroutes.ts';
import type { CircuitMessage, RouterMessage, SessionMessage } from '../storage/peers/topics.ts';
import { routerTopic, sessionTopic } from '../storage/peers/topics.ts';
import { Authorizer } from './authorize.ts';
import { FrameTurns } from './channel/frame-turns.ts';
import { RouterChannel } from './channel/router-channel.ts';
import { checkRouter, readRouter } from './check-router.ts';
import { CircuitOpener } from './circuits/circuit-opener.ts';
import { Circuits } from './circuits/circuits.ts';
import { RouteSender } from './circuits/route-sender.ts';
import { DataModel } from './data-model.ts';
import type { Parts, RouterDependencies } from './dependencies.ts';
import { apiSessionIdsOf, sessionsRemoved } from './handlers/api-sessions.ts';
import { routerMessages } from './handlers/index.ts';
import { readHello } from './hello.ts';
import { LiveRights } from './live-rights.ts';
import { LiveRouter } from './live-router.ts';
import { loseRouters } from './lose-routers.ts';
import { PeerStates } from './peer-states.ts';
import { RefusedRouters } from './refused-routers.ts';
import { Renewals } from './renewals.ts';
import type { SessionUse } from './session-use.ts';
import { ApiSessionSync } from './sessions/api-session-sync.ts';
import { noApiSessions } from './sessions/session-messages.ts';
import { Terminators } from './terminators/terminators.ts';
import { UnknownMessages } from './unknown-messages.ts';
import { helloAnswer, sendControllers, serverHello, shownRouter } from './welcome.ts';

/** Milliseconds. */
const helloTimeout = 5_000;
const rerouteInterval = 60_000;
/** Between two checks of what the other controllers show. */
const refreshInterval = 1_000;
/** In which the loss of another controller is noticed. */
const noticeTime = 10_000;
/** Sessions that ended while messages were lost, in one message. */
const endedSize = 1_000;

/** The edge routers that are connected to this controller, from the first byte of a connection to its end. */
export class Routers {
  readonly #parts: Parts;
  readonly #live = new Map<string, LiveRouter>();
  readonly #dependencies: RouterDependencies;
  readonly #stops: (() => void)[] = [];
  readonly #turns = new FrameTurns();
  /** The sessions of services that have ended lately. */
  readonly #ends: { readonly at: number; readonly ids: readonly string[] }[] = [];
  readonly #refused: RefusedRouters;
  readonly #unknown: UnknownMessages;
  #isClosed = false;

  constructor(parts: Parts) {
    const { network, peers, log } = parts;
    this.#parts = parts;
    this.#refused = new RefusedRouters(log);
    this.#unknown = new UnknownMessages({ log, count: parts.countUnknownMessages });
    const routers = () => this.#live.values();
    const sender = new RouteSender({ peers, network, find: (id) => this.#live.get(id) });
    const authorizer = new Authorizer(parts);
    const terminators = new Terminators({ ...parts, authorizer });
    const circuits = new Circuits({ ...parts, sender });
    this.#dependencies = {
      ...parts,
      ...{ network, sender, terminators, circuits },
      opener: new CircuitOpener({ ...parts, authorizer, terminators, circuits, sender, ownerId: peers.id }),
      apiSessions: new ApiSessionSync({ ...parts, log, routers }),
      dataModel: new DataModel({ ...parts, routers }),
      peerStates: new PeerStates(network, routers),
      renewals: new Renewals(),
      passOn: (circuitId, message) => this.#passOn(circuitId, message),
      isOfOther: (circuitId) => this.#ownerOf(circuitId) !== null,
    };
  }

  /** Begins to receive what happens on all controllers. */
  async start(): Promise<void> {
    const { peers, network, events, log } = this.#parts;
    const { apiSessions, circuits, dataModel, peerStates } = this.#dependencies;
    const liveRights = new LiveRights({
      ...this.#parts,
      inUse: () => this.#sessionsInUse(),
      onChanged: () => apiSessions.judgeAgain(),
      onEnded: (ids) => this.#endSessions(ids),
      onRouterLost: (uses) => loseRouters(this.#dependencies, { uses, find: (id) => this.#live.get(id) }),
    });
    this.#stops.push(
      await peers.listen(sessionTopic, {
        onMessage: (message) => this.#onSessionMessage(message),
        onMissed: () => void this.#readAllAgain(),
      }),
      await peers.listen(routerTopic, {
        onMessage: (message, from) => this.#onRouterMessage(message, from),
        onMissed: () => this.#readRoutersAgain(),
      }),
      network.onChange(({ lostLinks, hasLostPeer }) => {
        if (hasLostPeer) this.#takeOver();
        peerStates.update();
        dataModel.update();
        circuits.lost(lostLinks);
      }),
      events.on(['entity.created', 'entity.updated', 'entity.deleted'], ({ entityType, entityId, eventType }) => {
        if (entityType !== 'edgeRouter' && entityType !== 'transitRouter') return;
        const kind = eventType === 'deleted' ? 'deleted' : 'changed';
        peers.publish(routerTopic, { kind, routerId: entityId }).catch((error: unknown) => {
          log.warn({ err: error }, 'the other controllers do not know yet that a router has changed');
        });
      }),
      () => liveRights.stop(),
      dataModel.watch(),
    );
    const timers = [
      setInterval(() => void this.#rerouteCheaper(), rerouteInterval).unref(),
      setInterval(() => this.#takeIn(network.refresh()), refreshInterval).unref(),
    ];
    for (const timer of timers) this.#stops.push(() => clearInterval(timer));
    network.showCircuits(() => circuits.table.all());
    network.changed();
  }

  /** A connection whose handshake is complete. `onKnown` is called when a router has said hello. */
  accept(socket: TLSSocket, onKnown: () => void): void {
    const timer = setTimeout(() => channel.close('no hello in time'), helloTimeout);
    let router: LiveRouter | null = null;
    const channel: RouterChannel = new RouterChannel(socket, {
      turns: this.#turns,
      onMessage: (frame) => {
        if (router) return this.#receive(router, frame);
        return this.#greet({ socket, channel, frame }).then((accepted) => {
          if (!accepted) return;
          router = accepted;
          clearTimeout(timer);
          onKnown();
          this.#welcome(router, frame);
        });
      },
      onClose: (reason) => {
        clearTimeout(timer);
        if (router) this.#leave(router, reason);
        else this.#refused.record(socket.remoteAddress, reason);
      },
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const stop of this.#stops) stop();
    this.#dependencies.apiSessions.close();
    this.#refused.close();
    for (const router of [...this.#live.values()]) router.channel.close('the controller stops');
  }

  /** Checks the hello of a router. A refused one gets no answer. */
  async #greet(connection: {
    readonly socket: TLSSocket;
    readonly channel: RouterChannel;
    readonly frame: Frame;
  }): Promise<LiveRouter | null> {
    const { socket, channel, frame } = connection;
    const hello = readHello(frame);
    const row = await checkRouter(this.#parts, hello.routerId, socket);
    if ('refusal' in row) {
      channel.close(`${hello.routerId}: ${row.refusal}`);
      return null;
    }
    if (!channel.isOpen || this.#isClosed) return null;
    const known = { hello, channel, fingerprint: row.fingerprint, shown: shownRouter(hello, row) };
    return new LiveRouter({ ...known, connectedAt: this.#parts.clock() });
  }

  /** Answers the hello of a router, and sends what it needs. */
  #welcome(router: LiveRouter, frame: Frame): void {
    const { channel, hello } = router;
    // A router that was restarted does not wait until its old connection is found to be dead.
    this.#live.get(router.id)?.channel.close('the router has connected again');
    this.#live.set(router.id, router);
    channel.accept();
    channel.reply(frame, helloAnswer(this.#parts.controllerId(), hello.group));
    const { network, peerStates, terminators, log } = this.#dependencies;
    network.set(router.id, router.shown);
    router.send(serverHello);
    sendControllers(this.#dependencies, router);
    peerStates.introduce(router);
    terminators
      .validate(router)
      .catch((error: unknown) => log.warn({ err: error, router: router.id }, 'the terminators cannot be validated'));
    log.info({ router: router.id, version: hello.version.version }, 'a router has connected');
    // It may have been disabled while it was checked.
    void this.#checkAgain(router.id, false);
  }

  #receive(router: LiveRouter, frame: Frame): Promise<void> | void {
    const failed = (error: unknown) => {
      if (error instanceof FrameError) throw error;
      // A store cannot be reached, for example. The router says it again, or asks again.
      this.#parts.log.warn({ err: error, router: router.id, type: frame.type }, 'a message of a router has failed');
    };
    const message = routerMessages.get(frame.type);
    if (message && frame.body.length <= message.maxBody)
      return message.handle({ ...this.#dependencies, router, frame })?.catch(failed);
    this.#unknown.record(router, { type: frame.type, length: frame.body.length });
  }

  #leave(router: LiveRouter, reason: string): void {
    // A new connection may have taken its place.
    if (this.#live.get(router.id) !== router) return;
    this.#live.delete(router.id);
    this.#dependencies.terminators.forget(router.id);
    this.#dependencies.network.set(router.id, null);
    this.#parts.log.info({ router: router.id, reason }, 'a router has left');
  }

  #onSessionMessage(message: SessionMessage): void {
    const { apiSessions, circuits } = this.#dependencies;
    if (message.kind === 'sessionsEnded') {
      this.#endSessions(message.ids);
      return;
    }
    apiSessions.change(message);
    if (message.kind !== 'ended') return;
    circuits.endOfApiSessions(message.ids);
    this.#endTerminators('apiSessionId', message.ids);
  }

  /** Tells the routers that sessions of services have ended: they close the connections at once. */
  #endSessions(ids: readonly string[]): void {
    const message = sessionsRemoved(ids);
    for (const router of this.#live.values()) {
      router.send(message);
      this.#disconnect(router, router.takenOverOf(ids));
    }
    this.#recordEnds(ids);
    this.#dependencies.circuits.endOfSessions(ids);
    this.#endTerminators('sessionId', ids);
  }

  /** Nobody knows the circuits of these sessions. */
  #disconnect(router: LiveRouter, sessionIds: readonly string[]): void {
    if (sessionIds.length > 0) void this.#dependencies.apiSessions.disconnect(router, apiSessionIdsOf(sessionIds));
  }

  #recordEnds(ids: readonly string[]): void {
    const now = performance.now();
    while (now - (this.#ends[0]?.at ?? now) > noticeTime) this.#ends.shift();
    this.#ends.push({ at: now, ids });
  }

  #endTerminators(kind: 'sessionId' | 'apiSessionId', ids: readonly string[]): void {
    // A dial removes what is left.
    this.#dependencies.terminators
      .end(kind, ids)
      .catch((error: unknown) => this.#parts.log.warn({ err: error }, 'terminators of sessions that ended are left'));
  }

  #onRouterMessage(message: RouterMessage, from: string): void {
    if (message.kind === 'shown') {
      if (from !== this.#parts.peers.id) this.#takeIn(this.#parts.network.readAgain());
    } else if (message.kind === 'linkRemoved') {
      this.#removeLink(message);
    } else if ('circuitId' in message) {
      this.#onCircuitMessage(message);
    } else if (message.kind === 'changed' || message.kind === 'deleted') {
      void this.#checkAgain(message.routerId, message.kind === 'deleted');
    } else {
      this.#dependencies.sender.receive(message, from);
    }
  }

  /** An administrator removes a link: its routers close it, and dial again. */
  #removeLink({ id, iteration }: { readonly id: string; readonly iteration: number }): void {
    const { network } = this.#parts;
    const link = network.topology.links.remove(id);
    if (!link) return;
    this.#breakLink({ ...link, iteration });
    network.changed([link]);
  }

  /** Moves the costliest circuits to paths that have become much cheaper. */
  async #rerouteCheaper(): Promise<void> {
    const { circuits, network } = this.#dependencies;
    for (const step of smartReroutes(circuits.table.all(), network.topology)) {
      if (step === null) await nextTurn();
      else await circuits.reroute(step.circuit.id);
    }
  }

  /** A controller is gone. Its routers now get from this controller what they got from the other one. */
  #takeOver(): void {
    const { apiSessions, terminators, clock, log } = this.#dependencies;
    apiSessions.sendAgain();
    const begunNow = sessionId(clock());
    for (const router of this.#live.values()) {
      router.takeOverBefore(begunNow);
      this.#disconnect(
        router,
        this.#ends.flatMap(({ ids }) => ids),
      );
      terminators
        .validate(router)
        .catch((error: unknown) => log.warn({ err: error, router: router.id }, 'the terminators cannot be validated'));
    }
  }

  /** What a router of another controller says about a circuit of this one. */
  #onCircuitMessage({ kind, routerId, circuitId }: CircuitMessage): void {
    const { circuits, sender } = this.#dependencies;
    const circuit = circuits.table.get(circuitId);
    if (!circuit?.path.routers.includes(routerId)) sender.unroute(circuitId, [routerId], true);
    else if (kind === 'ended') circuits.close(circuitId);
    else if (kind === 'unforwarded') void circuits.reroute(circuitId);
  }

  /** An administrator has changed a router: it may be disabled, deleted, or have to enroll again. */
  async #checkAgain(routerId: string, isDeleted: boolean): Promise<void> {
    const { network, log } = this.#parts;
    try {
      if (isDeleted) this.#dependencies.peerStates.remove(routerId);
      const router = this.#live.get(routerId);
      const row = isDeleted ? null : await readRouter(this.#parts, routerId);
      if (row === null) this.#dismiss(routerId);
      else if (router && row.fingerprint !== router.fingerprint) router.channel.close('it has another certificate now');
      else if (router) network.set(routerId, router.show({ cost: row.cost, noTraversal: row.noTraversal }));
    } catch (error) {
      log.warn({ err: error, router: routerId }, 'a router cannot be checked again');
      this.#live.get(routerId)?.channel.close('it cannot be checked again');
    }
  }

  /**
   * A router may connect no more, and carries nothing. Without API sessions it closes the connections of all applications at once; the
   * routers that have links with it close these.
   */
  #dismiss(routerId: string): void {
    const { network } = this.#parts;
    const router = this.#live.get(routerId);
    router?.send(noApiSessions);
    router?.channel.finish('it may not connect any more');
    const links = network.topology.links.removeRouter(routerId);
    for (const link of links) this.#breakLink(link);
    if (links.length > 0) network.changed(links);
    this.#dependencies.circuits.leave(routerId);
  }

  /** Tells the ends of a link that are connected here to close it. */
  #breakLink({ id, iteration, sourceId, destId }: Link): void {
    const body = encode(FaultSchema, { subject: FaultSubject.LINK, id, iteration });
    for (const end of [sourceId, destId]) this.#live.get(end)?.send({ type: controlTypes.fault, body });
  }

  /** Messages about sessions were lost: all routers get everything again. */
  async #readAllAgain(): Promise<void> {
    const { log, endedSessions } = this.#parts;
    try {
      await this.#dependencies.apiSessions.readAgain();
      for await (const ids of endedSessions.batches(endedSize)) this.#endSessions(ids);
    } catch (error) {
      log.warn({ err: error }, 'what routers know of sessions may be old');
    }
  }

  #readRoutersAgain(): void {
    this.#takeIn(this.#parts.network.readAgain());
    for (const id of this.#live.keys()) void this.#checkAgain(id, false);
  }

  /** What the other controllers show must not end this one. */
  #takeIn(reading: Promise<void>): void {
    reading.catch((error: unknown) => {
      this.#parts.log.warn({ err: error }, 'what the other controllers show cannot be taken over');
    });
  }

  *#sessionsInUse(): Generator<SessionUse, void> {
    const { circuits, terminators } = this.#dependencies;
    yield* terminators.inUse();
    yield* circuits.inUse();
    for (const { id, takenOver } of this.#live.values())
      for (const session of takenOver) yield { session, routerId: id };
  }

  #ownerOf(circuitId: string): string | null {
    const owner = CircuitOpener.ownerOf(circuitId);
    const { peers, network } = this.#parts;
    return owner !== peers.id && network.hasPeer(owner) ? owner : null;
  }

  #passOn(circuitId: string, message: CircuitMessage): Promise<void> | null {
    const owner = this.#ownerOf(circuitId);
    if (owner === null) return null;
    // The router says it again when it is lost.
    return this.#parts.peers.sendToOne(owner, routerTopic, message).catch(() => undefined);
  }
}
