import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Path } from './cheapest-path.ts';
import { circuitsOver, smartReroutes } from './reroutes.ts';
import { Topology } from './topology.ts';

/** Routers in pairs: `a1` and `b1`, `a2` and `b2` … with a link each, whose latency is that of the index. */
function pairs(...latencies: number[]): Topology {
  const topology = new Topology();
  latencies.forEach((latency, at) => {
    for (const id of [`a${at}`, `b${at}`]) topology.setRouter(id, { cost: 0, noTraversal: false });
    addLink(topology, at, { id: `slow${at}`, latency });
  });
  return topology;
}

function addLink(topology: Topology, at: number, { id, latency }: { id: string; latency: number }): void {
  topology.links.report(`a${at}`, { id, destId: `b${at}`, protocol: 'tls', iteration: 1 });
  topology.links.setLatency(`a${at}`, id, latency);
  topology.links.setLatency(`b${at}`, id, 0);
}

interface Circuit {
  readonly id: string;
  readonly path: Path;
}

function circuits(topology: Topology, at: number, count: number): Circuit[] {
  const path = topology.pathsFrom(`a${at}`).pathTo(`b${at}`);
  if (!path) throw new Error('there is no path');
  return Array.from({ length: count }, (_, index) => ({ id: `${at}.${index}`, path }));
}

const moved = (open: readonly Circuit[], topology: Topology) =>
  [...smartReroutes(open, topology)].flatMap((reroute) => reroute?.circuit.id ?? []);

describe('smart re-routing', () => {
  it('moves a circuit whose new path saves at least 15', () => {
    const topology = pairs(100, 100);
    const open = [...circuits(topology, 0, 1), ...circuits(topology, 1, 1)];
    addLink(topology, 0, { id: 'fast0', latency: 86 });
    addLink(topology, 1, { id: 'fast1', latency: 85 });
    const found = [...smartReroutes(open, topology)].filter((each) => each !== null);
    expect(found).toMatchObject([{ circuit: { id: '1.0' }, path: { links: ['fast1'] } }]);
  });

  it('begins with the costliest circuits', () => {
    const topology = pairs(100, 300, 200);
    const open = [0, 1, 2].flatMap((at) => circuits(topology, at, 1));
    for (const at of [0, 1, 2]) addLink(topology, at, { id: `fast${at}`, latency: 1 });
    expect(moved(open, topology)).toEqual(['1.0']);
  });

  it.each([
    [0, 0],
    [1, 1],
    [99, 1],
    [100, 2],
    [149, 2],
    [150, 3],
    [200, 4],
    [2_000, 4],
  ])('of %i circuits moves %i: at most 2 %%, at least one, at most four', (count, moves) => {
    const topology = pairs(100);
    const open = circuits(topology, 0, count);
    addLink(topology, 0, { id: 'fast', latency: 1 });
    expect(moved(open, topology)).toHaveLength(moves);
  });

  it('leaves circuits alone that have no cheaper path, cost little, stay on one router or have lost their path', () => {
    const topology = pairs(100, 3, 50);
    const local = topology.pathsFrom('a0').pathTo('a0');
    const open = [0, 1, 2].flatMap((at) => circuits(topology, at, 1));
    topology.links.remove('slow2');
    expect(moved([...open, ...(local ? [{ id: 'local', path: local }] : [])], topology)).toEqual([]);
  });

  it('finds the costliest ones of all routers', () => {
    const latency = fc.integer({ min: 0, max: 60 });
    const counts = fc.array(fc.record({ slow: latency, fast: latency, count: fc.nat({ max: 60 }) }), { maxLength: 6 });
    fc.assert(
      fc.property(counts, (all) => {
        const topology = pairs(...all.map(({ slow }) => slow));
        const open = all.flatMap(({ count }, at) => circuits(topology, at, count));
        for (const [at, { fast }] of all.entries()) addLink(topology, at, { id: `fast${at}`, latency: fast });
        const costs = all
          .filter(({ slow, fast }) => slow - fast >= 15)
          .flatMap(({ slow, count }) => Array<number>(count).fill(slow + 11));
        const moves = Math.min(Math.max(Math.floor(open.length * 0.02), 1), 4);
        const found = [...smartReroutes(open, topology)].flatMap((each) => each?.circuit.path.cost ?? []);
        expect(found).toEqual(costs.toSorted((one, other) => other - one).slice(0, moves));
      }),
    );
  });

  it('lets other work run when there are many circuits, and moves nobody to a path that is lost meanwhile', () => {
    const topology = pairs(100);
    const open = circuits(topology, 0, 5_000);
    addLink(topology, 0, { id: 'fast', latency: 1 });
    const round = smartReroutes(open, topology);
    const steps = Array.from({ length: 6 }, () => round.next());
    expect(steps).toEqual(Array(6).fill({ done: false, value: null }));
    topology.links.remove('fast');
    expect(round.next()).toEqual({ done: true, value: undefined });
  });

  it('sees what the old path costs now, not what it did cost', () => {
    const topology = pairs(1);
    const open = circuits(topology, 0, 1);
    addLink(topology, 0, { id: 'other', latency: 20 });
    expect(moved(open, topology)).toEqual([]);
    topology.links.setLatency('a0', 'slow0', 90);
    expect(moved(open, topology)).toEqual(['0.0']);
  });
});

it('the circuits over a link are those whose path has it', () => {
  const topology = pairs(1, 1, 1);
  const open = [0, 1, 2].flatMap((at) => circuits(topology, at, 1));
  expect(circuitsOver(open, new Set(['slow0', 'slow2'])).map(({ id }) => id)).toEqual(['0.0', '2.0']);
  expect(circuitsOver(open, new Set(['unknown']))).toEqual([]);
});
