import { CostQueue } from './cost-queue.ts';
import type { Link } from './link-table.ts';
import { otherEnd } from './link-table.ts';

/** What a router means for paths. */
export interface PathRouter {
  /** 0 to 65535. Each hop to it costs this, at least 10. */
  readonly cost: number;
  /** True: paths only begin or end at it. */
  readonly noTraversal: boolean;
}

/** What a path may use. */
export interface Network {
  /** The routers that are connected, by id. */
  readonly routers: ReadonlyMap<string, PathRouter>;
  readonly links: {
    get(id: string): Link | undefined;
    ofRouter(routerId: string): Iterable<Link>;
  };
}

/** A way through the network. */
export interface Path {
  /** Ids, from the first router to the last one. */
  readonly routers: readonly string[];
  /** Ids; one less than routers. */
  readonly links: readonly string[];
  /** 0 for a path of one router. */
  readonly cost: number;
}

const minRouterCost = 10;

/** The least that a hop can cost: its link costs nothing. */
export const minHopCost = minRouterCost;

/** How a router is reached. */
interface Reached {
  readonly routerId: string;
  readonly router: PathRouter;
  readonly cost: number;
  readonly hops: number;
  /** `null`: the path begins here. */
  readonly last: { readonly from: Reached; readonly linkId: string } | null;
}

/** The cheapest paths from one router to all others. */
export class PathTree {
  readonly #reached: ReadonlyMap<string, Reached>;
  readonly #paths = new Map<string, Path>();

  constructor(reached: ReadonlyMap<string, Reached>) {
    this.#reached = reached;
  }

  /** `null`: no path leads there. */
  costTo(routerId: string): number | null {
    return this.#reached.get(routerId)?.cost ?? null;
  }

  /** `null`: no path leads there. */
  pathTo(routerId: string): Path | null {
    const end = this.#reached.get(routerId);
    if (!end) return null;
    const path = this.#paths.get(routerId) ?? pathOf(end);
    this.#paths.set(routerId, path);
    return path;
  }
}

/** The cheapest path between two connected routers, or `null`. */
export function cheapestPath(network: Network, from: string, to: string): Path | null {
  return cheapestPaths(network, from).pathTo(to);
}

/**
 * The cheapest paths from one router to all others (Dijkstra's algorithm). Of paths with the same cost, the one with fewer hops
 * counts, then the order of the ids: the result does not depend on the order in which links were reported.
 */
export function cheapestPaths({ routers, links }: Network, from: string): PathTree {
  const best = new Map<string, Reached>();
  const done = new Set<Reached>();
  const queue = new CostQueue<Reached>();
  const reach = (reached: Reached) => {
    best.set(reached.routerId, reached);
    queue.add(reached, reached.cost);
  };
  const start = routers.get(from);
  if (start) reach({ routerId: from, router: start, cost: 0, hops: 0, last: null });
  for (let at = queue.take(); at !== undefined; at = queue.take()) {
    // A better way to this router was found after this one had been queued.
    if (best.get(at.routerId) !== at) continue;
    done.add(at);
    if (at.last && at.router.noTraversal) continue;
    for (const link of links.ofRouter(at.routerId)) {
      const next = otherEnd(link, at.routerId);
      const known = best.get(next);
      const router = known?.router ?? routers.get(next);
      if (link.isDown || !router || (known && done.has(known))) continue;
      const cost = at.cost + hopCost(link, router);
      if (known && cost > known.cost) continue;
      const last = { from: at, linkId: link.id };
      const reached = { routerId: next, router, cost, hops: at.hops + 1, last };
      if (!known || isBefore(reached, known)) reach(reached);
    }
  }
  return new PathTree(best);
}

/** What a path costs now. `null`: one of its links or routers is gone. */
export function costOfPath({ routers, links }: Network, path: Path): number | null {
  let cost = 0;
  if (!path.routers.every((id) => routers.has(id))) return null;
  for (const [index, id] of path.links.entries()) {
    const [from = '', to = ''] = path.routers.slice(index, index + 2);
    const link = links.get(id);
    const router = routers.get(to);
    if (!link || !router || link.isDown || !isBetween(link, from, to)) return null;
    cost += hopCost(link, router);
  }
  return cost;
}

function hopCost(link: Link, router: PathRouter): number {
  return link.cost + Math.max(router.cost, minRouterCost);
}

function isBetween({ sourceId, destId }: Link, one: string, other: string): boolean {
  return (sourceId === one && destId === other) || (sourceId === other && destId === one);
}

/** Whether the first of two ways to a router is the better one. */
function isBefore(one: Reached, other: Reached): boolean {
  if (one.cost !== other.cost) return one.cost < other.cost;
  if (one.hops !== other.hops) return one.hops < other.hops;
  if (one.last?.from !== other.last?.from) {
    return (one.last?.from.routerId ?? '') < (other.last?.from.routerId ?? '');
  }
  return (one.last?.linkId ?? '') < (other.last?.linkId ?? '');
}

function pathOf(end: Reached): Path {
  const routers = [end.routerId];
  const links: string[] = [];
  for (let { last } = end; last; { last } = last.from) {
    routers.push(last.from.routerId);
    links.push(last.linkId);
  }
  return { routers: routers.reverse(), links: links.reverse(), cost: end.cost };
}
