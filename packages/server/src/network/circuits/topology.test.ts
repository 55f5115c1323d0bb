import { expect, it } from 'vitest';
import { Topology } from './topology.ts';

function twoWays(): Topology {
  const topology = new Topology();
  for (const id of ['a', 'b', 'c', 'd']) topology.setRouter(id, { cost: 0, noTraversal: false });
  for (const [source, destId] of [
    ['a', 'b'],
    ['b', 'd'],
    ['a', 'c'],
    ['c', 'd'],
  ] as const) {
    topology.links.report(source, { id: source + destId, destId, protocol: 'tls', iteration: 1 });
    for (const end of [source, destId]) topology.links.setLatency(end, source + destId, 1);
  }
  return topology;
}

const way = (topology: Topology) => topology.pathsFrom('a').pathTo('d')?.routers.join('') ?? null;

it('remembers paths until a link or a router changes', () => {
  const topology = twoWays();
  expect(way(topology)).toBe('abd');
  expect(topology.pathsFrom('a')).toBe(topology.pathsFrom('a'));
  expect(topology.pathsFrom('a').pathTo('d')).toBe(topology.pathsFrom('a').pathTo('d'));
  topology.links.setLatency('a', 'ab', 40);
  expect(way(topology)).toBe('acd');
  topology.setRouter('c', { cost: 100, noTraversal: false });
  expect(way(topology)).toBe('abd');
  topology.setRouter('b', { cost: 0, noTraversal: true });
  expect(way(topology)).toBe('acd');
});

it('a router that disconnects takes its links along, and is passed again when it has reported them', () => {
  const topology = twoWays();
  topology.setRouter('c', { cost: 0, noTraversal: true });
  expect(topology.disconnect('b').map(({ id }) => id)).toEqual(['bd']);
  expect([...topology.links.ofRouter('b')].map(({ id }) => id)).toEqual(['ab']);
  expect(way(topology)).toBeNull();
  topology.setRouter('b', { cost: 0, noTraversal: false });
  expect(way(topology)).toBeNull();
  topology.links.report('b', { id: 'bd', destId: 'd', protocol: 'tls', iteration: 2 });
  expect(way(topology)).toBe('abd');
});

it('finds no path from a router that is not connected, and tells what a path costs now', () => {
  const topology = twoWays();
  const path = topology.pathsFrom('a').pathTo('d');
  expect(topology.pathsFrom('x').pathTo('d')).toBeNull();
  expect(path && topology.costOf(path)).toBe(26);
  topology.disconnect('d');
  expect(path && topology.costOf(path)).toBeNull();
});
