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
