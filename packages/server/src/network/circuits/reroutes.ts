import type { Path, PathTree } from './cheapest-path.ts';
import { minHopCost } from './cheapest-path.ts';

/** What a path must save. */
const minSaving = 15;
/** The share of all circuits that one round moves, and its bounds. */
const share = 0.02;
const leastMoves = 1;
const mostMoves = 4;
/** Circuits whose costs are summed up at a time. */
const batchSize = 1_000;

/** A circuit, and a path that costs less than its own. */
export interface Reroute<Circuit> {
  readonly circuit: Circuit;
  readonly path: Path;
}

/** The costly circuits that begin at one router. */
interface Source<Circuit> {
  /** That of the costliest one. */
  cost: number;
  readonly circuits: { readonly circuit: Circuit; readonly cost: number }[];
}

interface Found<Circuit> extends Reroute<Circuit> {
  /** Of its present path. */
  readonly cost: number;
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
 * most 4. Before it finds them it yields `null` many times, so that the caller can let other work run. A circuit may end
 * meanwhile, so the caller must check whether it is still there.
 */
export function* smartReroutes<Circuit extends { readonly path: Path }>(
  circuits: Iterable<Circuit>,
  paths: Paths,
): Generator<Reroute<Circuit> | null, void> {
  const sources = new Map<string, Source<Circuit>>();
  let count = 0;
  for (const circuit of circuits) {
    addCostly(sources, circuit, paths.costOf(circuit.path) ?? 0);
    count += 1;
    if (count % batchSize === 0) yield null;
  }
  const moves = Math.min(Math.max(Math.floor(count * share), leastMoves), mostMoves);
  let found: Found<Circuit>[] = [];
  for (const [routerId, source] of [...sources].toSorted(([, one], [, other]) => other.cost - one.cost)) {
    const least = found.length < moves ? 0 : (found.at(-1)?.cost ?? 0);
    if (source.cost <= least) break;
    const more = findSavings(source, paths.pathsFrom(routerId), least);
    found = [...found, ...more].toSorted((one, other) => other.cost - one.cost).slice(0, moves);
    yield null;
  }
  for (const { circuit, path } of found) if (paths.costOf(path) !== null) yield { circuit, path };
}

function addCostly<Circuit extends { readonly path: Path }>(
  sources: Map<string, Source<Circuit>>,
  circuit: Circuit,
  cost: number,
): void {
  if (cost < minSaving + minHopCost) return;
  const routerId = circuit.path.routers[0] ?? '';
  const source = sources.get(routerId) ?? { cost, circuits: [] };
  source.cost = Math.max(source.cost, cost);
  source.circuits.push({ circuit, cost });
  sources.set(routerId, source);
}

function findSavings<Circuit extends { readonly path: Path }>(
  { circuits }: Source<Circuit>,
  tree: PathTree,
  least: number,
): Found<Circuit>[] {
  return circuits.flatMap(({ circuit, cost }) => {
    const end = circuit.path.routers.at(-1) ?? '';
    const next = tree.costTo(end);
    if (cost <= least || next === null || cost - next < minSaving) return [];
    const path = tree.pathTo(end);
    return path ? [{ circuit, cost, path }] : [];
  });
}
