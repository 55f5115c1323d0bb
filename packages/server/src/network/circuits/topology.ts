import { RecentlyUsed } from '../../core/cache/recently-used.ts';
import type { Network, Path, PathRouter, PathTree } from './cheapest-path.ts';
import { cheapestPaths, costOfPath } from './cheapest-path.ts';
import type { Link } from './link-table.ts';
import { LinkTable } from './link-table.ts';

/** Routers whose paths are remembered, at least. */
const maxTrees = 64;

/** The connected routers and the links, with the cheapest paths between them. It remembers paths until something changes. */
export class Topology implements Network {
  readonly links: LinkTable;
  readonly #routers = new Map<string, PathRouter>();
  #trees = new RecentlyUsed<PathTree>(maxTrees);
  #linksVersion = -1;

  constructor(links = new LinkTable()) {
    this.links = links;
  }

  get routers(): ReadonlyMap<string, PathRouter> {
    return this.#routers;
  }

  /** Records that a router is connected, or that it has another cost now. */
  setRouter(id: string, { cost, noTraversal }: PathRouter): void {
    this.#routers.set(id, { cost, noTraversal });
    this.#forget();
  }

  /** Records that a router is not connected any more, and removes the links that it dialed. */
  disconnect(id: string): readonly Link[] {
    this.#routers.delete(id);
    this.#forget();
    return this.links.disconnect(id);
  }

  /** The cheapest paths from a router. There is none when it is not connected. */
  pathsFrom(routerId: string): PathTree {
    if (this.#linksVersion !== this.links.version) this.#forget();
    const known = this.#trees.get(routerId);
    if (known) return known;
    const tree = cheapestPaths(this, routerId);
    this.#trees.set(routerId, tree);
    return tree;
  }

  costOf(path: Path): number | null {
    return costOfPath(this, path);
  }

  #forget(): void {
    this.#trees = new RecentlyUsed(maxTrees);
    this.#linksVersion = this.links.version;
  }
}
