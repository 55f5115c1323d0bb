import type { Peers } from '../peers/peers.ts';
import { routerTopic } from '../peers/topics.ts';
import type { ConnectedRouter, ReportedLink, RouterConnection } from './connected-router.ts';
import { offline } from './connected-router.ts';

/** Milliseconds for which what the peers show is not read again. */
const maxAge = 1_000;

/** What one controller knows of its routers. */
interface Shown {
  readonly routers?: readonly ConnectedRouter[];
  readonly links?: readonly ReportedLink[];
}

/**
 * The routers that are connected to any of the controllers, and the links that they report. Each controller shows its own to its peers.
 * This is what administrators and clients see, and what paths are chosen from. It may be a second old; nothing else is decided by it.
 */
export class RouterNetwork {
  readonly #peers: Peers;
  readonly #own = new Map<string, ConnectedRouter>();
  #ownLinks: () => readonly ReportedLink[] = () => [];
  #others: ReadonlyMap<string, Shown> = new Map();
  #readAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;
  #showing: Promise<void> | null = null;
  #listeners = new Set<() => void>();

  constructor(peers: Peers) {
    this.#peers = peers;
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

  routers(): readonly ConnectedRouter[] {
    const others = [...this.#others.values()].flatMap(({ routers = [] }) => routers);
    return [...this.#own.values(), ...others.filter(({ id }) => !this.#own.has(id))];
  }

  links(): readonly ReportedLink[] {
    return [...this.#ownLinks(), ...[...this.#others.values()].flatMap(({ links = [] }) => links)];
  }

  /** `links` returns those that the routers of this controller report. */
  showLinksOf(links: () => readonly ReportedLink[]): void {
    this.#ownLinks = links;
  }

  /** Sets what a router of this controller shows. `null`: it is connected no longer. */
  set(routerId: string, router: ConnectedRouter | null): void {
    if (router) this.#own.set(routerId, router);
    else this.#own.delete(routerId);
    this.changed();
  }

  /** Shows the peers what is known here, once for all changes of a turn. */
  changed(): void {
    this.#showing ??= new Promise<void>((resolve) => setImmediate(resolve))
      .then(() => {
        this.#showing = null;
        return this.#show();
      })
      // What the peers miss now, they get with the next sign of life.
      .catch(() => undefined);
    for (const listener of this.#listeners) listener();
  }

  /** Calls the listener when the routers or links of any controller may be others. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** The peers show something else: reads it at once. */
  async readAgain(): Promise<void> {
    this.#readAt = Number.NEGATIVE_INFINITY;
    await this.refresh();
    for (const listener of this.#listeners) listener();
  }

  async #show(): Promise<void> {
    await this.#peers.show({ routers: [...this.#own.values()], links: this.#ownLinks() });
    await this.#peers.tell(routerTopic, { kind: 'shown', by: this.#peers.id });
  }

  async #read(): Promise<void> {
    this.#readAt = performance.now();
    this.#others = await this.#peers.shown().catch(() => this.#others);
  }
}
