import { setImmediate } from 'node:timers';
import type { Peers } from '../../storage/peers/peers.ts';
import { routerTopic } from '../../storage/peers/topics.ts';
import { DynamicCosts } from '../circuits/dynamic-costs.ts';
import type { Link } from '../circuits/link-table.ts';
import { Topology } from '../circuits/topology.ts';
import type { ConnectedRouter, RouterConnection } from './connected-router.ts';
import { offline } from './connected-router.ts';
import type { CircuitView } from './network-view.ts';
import type { ShownNetwork, TokenKey } from './shown-network.ts';
import { shownNetwork } from './shown-network.ts';

/** Milliseconds for which what the peers show is not read again. */
const maxAge = 1_000;

export interface NetworkChange {
  /** Links that are gone. */
  readonly lostLinks: readonly Link[];
  /** Whether a controller is gone. */
  readonly hasLostPeer: boolean;
}

/**
 * The routers that are connected to any of the controllers, and their links. Each controller shows its own to its peers. This is what
 * administrators and clients see, and what paths are chosen from. It may be a second old; no right is decided by it.
 */
export class RouterNetwork {
  readonly topology = new Topology();
  /** What circuits and failed dials of this controller add to the costs of terminators. */
  readonly costs = new DynamicCosts();
  readonly #peers: Peers;
  readonly #keys: () => readonly TokenKey[];
  readonly #own = new Map<string, ConnectedRouter>();
  readonly #applications = new Map<string, ReadonlySet<string>>();
  #others: ReadonlyMap<string, ShownNetwork> = new Map();
  #circuits: () => Iterable<CircuitView> = () => [];
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;
  #showing: Promise<void> | null = null;
  readonly #listeners = new Set<(change: NetworkChange) => void>();

  /** `keys` returns those with which this controller signs. */
  constructor(peers: Peers, keys: () => readonly TokenKey[]) {
    this.#peers = peers;
    this.#keys = keys;
  }

  /** Reads what the peers show, unless it was read a moment ago. A store that cannot be reached changes nothing. */
  async refresh(): Promise<void> {
    if (performance.now() - this.#readAt < maxAge) return;
    this.#reading ??= this.#read().finally(() => {
      this.#reading = null;
    });
    await this.#reading;
  }

  connectionOf(routerId: string): RouterConnection {
    return this.find(routerId) ?? offline;
  }

  find(routerId: string): ConnectedRouter | null {
    const own = this.#own.get(routerId);
    if (own) return own;
    for (const { routers = [] } of this.#others.values()) {
      const found = routers.find(({ id }) => id === routerId);
      if (found) return found;
    }
    return null;
  }

  /** The controller that a router is connected to. `null`: none. */
  peerOf(routerId: string): string | null {
    if (this.#own.has(routerId)) return this.#peers.id;
    for (const [peerId, { routers = [] }] of this.#others) if (routers.some(({ id }) => id === routerId)) return peerId;
    return null;
  }

  /** Whether a controller lives, as far as this one knows. */
  hasPeer(peerId: string): boolean {
    return peerId === this.#peers.id || this.#others.has(peerId);
  }

  routers(): readonly ConnectedRouter[] {
    const others = [...this.#others.values()].flatMap(({ routers = [] }) => routers);
    return [...this.#own.values(), ...others.filter(({ id }) => !this.#own.has(id))];
  }

  /** Whether an application of an identity is connected to a router of this controller. */
  hasApplication(identityId: string): boolean {
    return this.#applications.values().some((identities) => identities.has(identityId));
  }

  /** Sets whose applications are connected to a router. */
  setApplications(routerId: string, identityIds: ReadonlySet<string>): void {
    if (this.#own.has(routerId)) this.#applications.set(routerId, identityIds);
  }

  /** The circuits that this controller has made. */
  circuits(): Iterable<CircuitView> {
    return this.#circuits();
  }

  /** `circuits` returns those that there are. */
  showCircuits(circuits: () => Iterable<CircuitView>): void {
    this.#circuits = circuits;
  }

  /** The keys of all controllers. */
  tokenKeys(): readonly TokenKey[] {
    const others = [...this.#others.values()].flatMap(({ keys = [] }) => keys);
    return [...new Map([...this.#keys(), ...others].map((key) => [key.kid, key])).values()];
  }

  /** Sets what a router of this controller shows. `null`: it is connected no longer. */
  set(routerId: string, router: ConnectedRouter | null): void {
    if (router) {
      this.#own.set(routerId, router);
      this.topology.setRouter(routerId, router);
      this.changed();
    } else if (this.#own.delete(routerId)) {
      this.#applications.delete(routerId);
      // A router that tries another controller may still be connected to one.
      const elsewhere = this.find(routerId);
      if (elsewhere) this.topology.setRouter(routerId, elsewhere);
      this.changed(elsewhere ? [] : this.topology.disconnect(routerId));
    }
  }

  /** Shows the peers what is known here, once for all changes of a turn. */
  changed(lostLinks: readonly Link[] = []): void {
    this.#showing ??= new Promise<void>((resolve) => setImmediate(resolve))
      .then(() => {
        this.#showing = null;
        return this.#show();
      })
      // What the peers miss now, they get with the next sign of life.
      .catch(() => undefined);
    this.#emit({ lostLinks, hasLostPeer: false });
  }

  /** Calls the listener when the routers, links or keys of any controller may be others. */
  onChange(listener: (change: NetworkChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** A peer shows something else: reads it at once. */
  async readAgain(): Promise<void> {
    this.#readAt = Number.NEGATIVE_INFINITY;
    await this.refresh();
  }

  #emit(change: NetworkChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  async #show(): Promise<void> {
    const own = [...this.topology.links.all()].filter(({ sourceId }) => this.#own.has(sourceId));
    const links = own.map((link) => [link.sourceId, link] as const);
    await this.#peers.show({ routers: [...this.#own.values()], links, keys: this.#keys() } satisfies ShownNetwork);
    await this.#peers.publish(routerTopic, { kind: 'shown' });
  }

  async #read(): Promise<void> {
    this.#readAt = performance.now();
    const shown = await this.#peers.shown(shownNetwork).catch(() => null);
    if (shown === null) return;
    const before = this.#others;
    this.#others = shown;
    if (before.size === 0 && shown.size === 0) return;
    const hasLostPeer = [...before.keys()].some((id) => !shown.has(id));
    this.#emit({ lostLinks: this.#apply(before), hasLostPeer });
  }

  /** Takes over what the peers show. Returns the links that are gone. */
  #apply(before: ReadonlyMap<string, ShownNetwork>): readonly Link[] {
    const { topology } = this;
    const shown = [...this.#others.values()];
    const ids = new Set(this.routers().map(({ id }) => id));
    const lost = [...before.values()]
      .flatMap(({ routers = [] }) => routers)
      .flatMap(({ id }) => (ids.has(id) ? [] : topology.disconnect(id)));
    for (const router of this.routers()) topology.setRouter(router.id, router);
    const links = shown.flatMap(({ links: reported = [] }) => reported);
    for (const [routerId, report] of links) topology.links.report(routerId, report);
    const reportedIds = new Set(links.map(([, { id }]) => id));
    const gone = [...topology.links.all()].filter(
      ({ id, sourceId }) => !this.#own.has(sourceId) && !reportedIds.has(id),
    );
    return [...lost, ...gone.flatMap(({ id }) => topology.links.remove(id) ?? [])];
  }
}
