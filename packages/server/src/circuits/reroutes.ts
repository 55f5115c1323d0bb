import type { Path, PathTree } from './cheapest-path.ts';
import { minHopCost } from './cheapest-path.ts';

/** What a path must save. */
const minSaving = 15;
/** The share of all circuits that one round moves, and its bounds. */
const share = 0.02;
const leastMoves = 1;
const mostMoves = 4;

/** A circuit, and a path that costs less than its own. */
export interface Reroute<Circuit> {
  readonly circuit: Circuit;
  readonly path: Path;
}

interface Paths {
  pathsFrom(routerId: string): PathTree;
  /** `null`: the path leads over something that is gone. */
  costOf(path: Path): number | null;
}

/** The circuits whose path leads over one of these links. */
export function circuitsOver<Circuit extends { readonly path: Path }>(
  circuits: Iterable<Circuit>,
  linkIds: ReadonlySet<string>,
): Circuit[] {
  return Iterator.from(circuits)
    .filter(({ path }) => path.links.some((id) => linkIds.has(id)))
    .toArray();
}

/**
 * Looks for the costliest circuits that a cheaper path would save at least 15: at most 2 % of all circuits, at least one and at
 * most 4. It yields `null` between two searches, so that the caller can let other work run.
 */
export function* smartReroutes<Circuit extends { readonly path: Path }>(
  circuits: Iterable<Circuit>,
  paths: Paths,
): Generator<Reroute<Circuit> | null, void> {
  const byPath = Map.groupBy(circuits, ({ path }) => path);
  const count = byPath.values().reduce((sum, { length }) => sum + length, 0);
  let moves = Math.min(Math.max(Math.floor(count * share), leastMoves), mostMoves);
  const costliest = [...byPath]
    .map(([path, sharing]) => ({ path, sharing, cost: paths.costOf(path) ?? 0 }))
    .filter(({ cost }) => cost >= minSaving + minHopCost)
    .toSorted((one, other) => other.cost - one.cost);
  for (const { path: former, sharing, cost } of costliest) {
    const path = paths.pathsFrom(former.routers[0] ?? '').pathTo(former.routers.at(-1) ?? '');
    if (path && path.cost + minSaving <= cost) {
      for (const circuit of sharing) {
        yield { circuit, path };
        moves -= 1;
        if (moves === 0) return;
      }
    }
    yield null;
  }
}
