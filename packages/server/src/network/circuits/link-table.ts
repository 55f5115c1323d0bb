/** A connection of a link. A link may have several. */
export interface LinkConnection {
  readonly type: string;
  readonly localAddress: string;
  readonly remoteAddress: string;
}

/** A link as the router reports it that dialed it. */
export interface LinkReport {
  readonly id: string;
  readonly destId: string;
  /** `tls` */
  readonly protocol: string;
  /** How often the router has dialed this link again. */
  readonly iteration: number;
  readonly connections?: readonly LinkConnection[];
}

/** A link between two routers. Data flows both ways. */
export interface Link extends Required<LinkReport> {
  /** The router that dialed and reported it. */
  readonly sourceId: string;
  /** Milliseconds, as the source measured them. `null`: not measured yet. */
  readonly sourceLatency: number | null;
  /** Milliseconds, as the destination measured them. `null`: not measured yet. */
  readonly destLatency: number | null;
  readonly staticCost: number;
  /** An administrator has taken it out of service: no new path leads over it. */
  readonly isDown: boolean;
  /** The static cost and whole milliseconds of both latencies. */
  readonly cost: number;
}

/**
 * What became of a report.
 *
 * - `added`: the link is new
 * - `replaced`: the router has dialed it again
 * - `moved`: the same, but it leads to another router now, so circuits over it must be re-routed
 * - `known`: nothing is new
 * - `foreign`: another router has reported it, and keeps it
 * - `invalid`: it leads nowhere, or a text is too long
 * - `too many`: a limit of the table is reached
 */
export type ReportOutcome = 'added' | 'replaced' | 'moved' | 'known' | 'foreign' | 'invalid' | 'too many';

/** A link that an end has lost. */
export interface LostLink {
  readonly link: Link;
  /** The router that must close its side, too. */
  readonly otherEndId: string;
}

interface Limits {
  /** Links that one router may report. */
  readonly perRouter: number;
  readonly total: number;
}

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Milliseconds that an unknown latency counts. A measured one never counts more. */
export const maxLatency = 65_000;
const defaultStaticCost = 1;
const maxIdLength = 100;
const maxProtocolLength = 50;
const maxConnections = 16;
const maxAddressLength = 300;
/** Most characters of the connections of all links that one router has reported. The controllers share them, so their size has a limit. */
const maxShownLength = 512 * 1024;

/** The links of all routers. A router can only add and remove its own. */
export class LinkTable {
  readonly #limits: Limits;
  readonly #links = new Map<string, Writable<Link>>();
  /** The links of a router, whichever end it is. */
  readonly #ofRouter = new Map<string, Set<Writable<Link>>>();
  /** The number of links that a router has reported. */
  readonly #reported = new Map<string, number>();
  /** The characters of the connections that a router has reported. */
  readonly #shownLength = new Map<string, number>();
  #version = 0;

  constructor(limits: Limits = { perRouter: 4_096, total: 100_000 }) {
    this.#limits = limits;
  }

  /** Grows when the links or their costs change. */
  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#links.size;
  }

  get(id: string): Link | undefined {
    return this.#links.get(id);
  }

  all(): Iterable<Link> {
    return this.#links.values();
  }

  /** The links of which this router is an end. */
  ofRouter(routerId: string): Iterable<Link> {
    return this.#ofRouter.get(routerId) ?? [];
  }

  /** Takes the report of the router that dialed the link. */
  report(routerId: string, report: LinkReport): ReportOutcome {
    const known = this.#links.get(report.id);
    if (known && known.sourceId !== routerId) return 'foreign';
    if (known && known.iteration >= report.iteration) return 'known';
    if (!isValid(routerId, report)) return 'invalid';
    if (!known && this.#isFull(routerId)) return 'too many';
    if (known) this.#remove(known);
    this.#add(routerId, report, known);
    if (!known) return 'added';
    return known.destId === report.destId ? 'replaced' : 'moved';
  }

  /**
   * Removes a link that one of its ends has lost. `null`: the link is unknown or was dialed again since, or the router is no end
   * of it.
   */
  fault(routerId: string, { id, iteration }: Pick<LinkReport, 'id' | 'iteration'>): LostLink | null {
    const link = this.#links.get(id);
    if (!link || iteration < link.iteration) return null;
    if (routerId !== link.sourceId && routerId !== link.destId) return null;
    this.#remove(link);
    return { link, otherEndId: otherEnd(link, routerId) };
  }

  /** Removes the links that this router dialed, because it will report them again. Those that it accepted stay. */
  disconnect(routerId: string): readonly Link[] {
    return this.#removeAll(this.#ends(routerId).filter(({ sourceId }) => sourceId === routerId));
  }

  /** Removes all links of a router that was deleted. */
  removeRouter(routerId: string): readonly Link[] {
    return this.#removeAll(this.#ends(routerId));
  }

  /** Removes the links that this router dialed and does not have any more. */
  keepOnly(routerId: string, ids: ReadonlySet<string>): readonly Link[] {
    return this.#removeAll(this.#ends(routerId).filter(({ id, sourceId }) => sourceId === routerId && !ids.has(id)));
  }

  remove(id: string): Link | null {
    const link = this.#links.get(id);
    if (!link) return null;
    this.#remove(link);
    return link;
  }

  /** Records the latency that an end of the link has measured, in milliseconds. A router that is no end of it reports nothing. */
  setLatency(routerId: string, id: string, latency: number): void {
    const link = this.#links.get(id);
    if (!link || !(latency >= 0)) return;
    const counted = Math.min(latency, maxLatency);
    if (routerId === link.sourceId) link.sourceLatency = counted;
    if (routerId === link.destId) link.destLatency = counted;
    this.#updateCost(link);
  }

  /** Records the connections of a link, as the router that dialed it reports them. */
  setConnections(
    routerId: string,
    { id, iteration, connections }: Pick<Link, 'id' | 'iteration' | 'connections'>,
  ): void {
    const link = this.#links.get(id);
    if (link?.sourceId !== routerId || link.iteration !== iteration) return;
    this.#count(routerId, -lengthOf(link.connections));
    link.connections = this.#shown(routerId, connections);
  }

  /** Changes what administrators decide. It stays when the router dials the link again. */
  change(id: string, change: Partial<Pick<Link, 'staticCost' | 'isDown'>>): Link | null {
    const link = this.#links.get(id);
    if (!link) return null;
    if (change.isDown !== undefined && change.isDown !== link.isDown) {
      link.isDown = change.isDown;
      this.#version += 1;
    }
    link.staticCost = change.staticCost ?? link.staticCost;
    this.#updateCost(link);
    return link;
  }

  #isFull(routerId: string): boolean {
    return this.#links.size >= this.#limits.total || (this.#reported.get(routerId) ?? 0) >= this.#limits.perRouter;
  }

  #add(sourceId: string, { id, destId, protocol, iteration, connections = [] }: LinkReport, former?: Link): void {
    const { staticCost = defaultStaticCost, isDown = false } = former ?? {};
    const measured = { sourceLatency: null, destLatency: null };
    const known = { id, sourceId, destId, protocol, iteration, staticCost, isDown };
    const shown = { connections: this.#shown(sourceId, connections) };
    const link = { ...known, ...shown, ...measured, cost: costOf({ ...measured, staticCost }) };
    this.#links.set(id, link);
    for (const end of [sourceId, destId]) this.#ofRouter.set(end, (this.#ofRouter.get(end) ?? new Set()).add(link));
    this.#reported.set(sourceId, (this.#reported.get(sourceId) ?? 0) + 1);
    this.#version += 1;
  }

  #remove(link: Writable<Link>): void {
    this.#links.delete(link.id);
    for (const end of [link.sourceId, link.destId]) {
      const links = this.#ofRouter.get(end);
      links?.delete(link);
      if (links?.size === 0) this.#ofRouter.delete(end);
    }
    this.#count(link.sourceId, -lengthOf(link.connections));
    const reported = (this.#reported.get(link.sourceId) ?? 0) - 1;
    if (reported > 0) this.#reported.set(link.sourceId, reported);
    else this.#reported.delete(link.sourceId);
    this.#version += 1;
  }

  /** They are only shown, so too many or too long ones do not refuse a link. */
  #shown(sourceId: string, reported: readonly LinkConnection[]): readonly LinkConnection[] {
    const isShort = ({ length }: string) => length <= maxAddressLength;
    const connections = reported
      .slice(0, maxConnections)
      .filter(({ type, localAddress, remoteAddress }) => [type, localAddress, remoteAddress].every(isShort));
    const length = lengthOf(connections);
    if ((this.#shownLength.get(sourceId) ?? 0) + length > maxShownLength) return [];
    this.#count(sourceId, length);
    return connections;
  }

  #count(sourceId: string, change: number): void {
    const length = (this.#shownLength.get(sourceId) ?? 0) + change;
    if (length > 0) this.#shownLength.set(sourceId, length);
    else this.#shownLength.delete(sourceId);
  }

  #removeAll(links: readonly Writable<Link>[]): readonly Link[] {
    for (const link of links) this.#remove(link);
    return links;
  }

  #ends(routerId: string): readonly Writable<Link>[] {
    return [...(this.#ofRouter.get(routerId) ?? [])];
  }

  #updateCost(link: Writable<Link>): void {
    const cost = costOf(link);
    if (cost === link.cost) return;
    link.cost = cost;
    this.#version += 1;
  }
}

/** The end of a link that is not this router. */
export function otherEnd({ sourceId, destId }: Pick<Link, 'sourceId' | 'destId'>, routerId: string): string {
  return routerId === sourceId ? destId : sourceId;
}

function costOf({
  staticCost,
  sourceLatency,
  destLatency,
}: Pick<Link, 'staticCost' | 'sourceLatency' | 'destLatency'>): number {
  return staticCost + Math.floor(sourceLatency ?? maxLatency) + Math.floor(destLatency ?? maxLatency);
}

function isValid(routerId: string, { id, destId, protocol, iteration }: LinkReport): boolean {
  return (
    [id, destId].every(({ length }) => length > 0 && length <= maxIdLength) &&
    destId !== routerId &&
    protocol.length <= maxProtocolLength &&
    Number.isInteger(iteration)
  );
}

function lengthOf(connections: readonly LinkConnection[]): number {
  return connections.reduce(
    (sum, { type, localAddress, remoteAddress }) => sum + type.length + localAddress.length + remoteAddress.length,
    0,
  );
}
