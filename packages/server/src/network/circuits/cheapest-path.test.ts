import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PathRouter } from './cheapest-path.ts';
import { cheapestPath, cheapestPaths, costOfPath } from './cheapest-path.ts';
import { LinkTable } from './link-table.ts';

interface Edge {
  readonly id: string;
  readonly ends: readonly [string, string];
  readonly latency?: number;
  readonly isDown?: boolean;
}

/** A network in which a link costs 1 and its latency. */
function network(routers: Readonly<Record<string, Partial<PathRouter> | undefined>>, edges: readonly Edge[]) {
  const links = new LinkTable();
  for (const { id, ends, latency = 0, isDown = false } of edges) {
    links.report(ends[0], { id, destId: ends[1], protocol: 'tls', iteration: 1 });
    links.setLatency(ends[0], id, latency);
    links.setLatency(ends[1], id, 0);
    links.change(id, { isDown });
  }
  const known = Object.entries(routers).map(([id, router]): [string, PathRouter] => [
    id,
    { cost: 0, noTraversal: false, ...router },
  ]);
  return { routers: new Map(known), links };
}

const edge = (id: string, latency?: number): Edge => ({
  id,
  ends: [id.charAt(0), id.charAt(1)],
  ...(latency !== undefined && { latency }),
});

describe('the cheapest path', () => {
  it('has no links when both ends are the same router', () => {
    expect(cheapestPath(network({ a: {} }, []), 'a', 'a')).toEqual({ routers: ['a'], links: [], cost: 0 });
  });

  it('is the same both ways over a link, whoever dialed it', () => {
    const net = network({ a: {}, b: {} }, [edge('ab', 4)]);
    expect(cheapestPath(net, 'a', 'b')).toEqual({ routers: ['a', 'b'], links: ['ab'], cost: 15 });
    expect(cheapestPath(net, 'b', 'a')).toEqual({ routers: ['b', 'a'], links: ['ab'], cost: 15 });
  });

  it('makes a detour that is cheaper', () => {
    const net = network({ a: {}, b: {}, c: {} }, [edge('ac', 50), edge('ab', 1), edge('bc', 1)]);
    expect(cheapestPath(net, 'a', 'c')).toEqual({ routers: ['a', 'b', 'c'], links: ['ab', 'bc'], cost: 24 });
  });

  it('counts the cost of routers, at least 10 of each', () => {
    const net = network({ a: { cost: 500 }, b: { cost: 100 }, c: { cost: 3 }, d: {} }, [
      ...[edge('ab'), edge('bd'), edge('ac'), edge('cd')],
    ]);
    expect(cheapestPath(net, 'a', 'd')).toEqual({ routers: ['a', 'c', 'd'], links: ['ac', 'cd'], cost: 22 });
  });

  it('takes the cheaper one of two links between the same routers', () => {
    const net = network({ a: {}, b: {} }, [edge('ab', 9), { ...edge('ab', 2), id: 'second' }]);
    expect(cheapestPath(net, 'a', 'b')?.links).toEqual(['second']);
  });

  it('leads over no router that is not connected, and over no link that is down', () => {
    const edges = [edge('ab'), edge('bc'), edge('ac', 90)];
    expect(cheapestPath(network({ a: {}, c: {} }, edges), 'a', 'c')?.links).toEqual(['ac']);
    const down = [{ ...edge('ab'), isDown: true }, edge('bc'), edge('ac', 90)];
    expect(cheapestPath(network({ a: {}, b: {}, c: {} }, down), 'a', 'c')?.links).toEqual(['ac']);
  });

  it('passes no router without traversal, but begins and ends at one', () => {
    const routers = { a: { noTraversal: true }, b: { noTraversal: true }, c: {}, d: { noTraversal: true } };
    const net = network(routers, [edge('ab'), edge('bd'), edge('ac', 20), edge('cd', 20)]);
    expect(cheapestPath(net, 'a', 'd')?.routers).toEqual(['a', 'c', 'd']);
    expect(cheapestPath(net, 'c', 'b')?.routers).toBeUndefined();
    expect(cheapestPath(net, 'a', 'b')?.routers).toEqual(['a', 'b']);
  });

  it('is null when there is none, and when an end is not connected', () => {
    const net = network({ a: {}, b: {}, c: {} }, [edge('ab'), edge('ax')]);
    expect(cheapestPath(net, 'a', 'c')).toBeNull();
    expect(cheapestPath(net, 'a', 'x')).toBeNull();
    expect(cheapestPath(net, 'x', 'x')).toBeNull();
    expect(cheapestPaths(net, 'a').costTo('c')).toBeNull();
  });

  it('has the fewest hops of all that cost the same, then the least ids', () => {
    const long = network({ a: {}, b: {}, c: {} }, [edge('ac', 11), edge('ab'), edge('bc')]);
    expect(cheapestPath(long, 'a', 'c')).toEqual({ routers: ['a', 'c'], links: ['ac'], cost: 22 });
    const equal = network({ a: {}, b: {}, c: {}, d: {} }, [
      ...[edge('ac'), edge('cd'), edge('bd'), edge('ab'), { ...edge('ab'), id: 'aa' }],
    ]);
    expect(cheapestPath(equal, 'a', 'd')?.links).toEqual(['aa', 'bd']);
  });
});

describe('what a path costs now', () => {
  const net = () => network({ a: {}, b: { cost: 20 }, c: {} }, [edge('ab', 3), edge('bc', 5)]);

  it('follows the costs of links and routers', () => {
    const changed = net();
    const path = cheapestPath(changed, 'a', 'c');
    expect(path && costOfPath(changed, path)).toBe(path?.cost);
    changed.links.setLatency('a', 'ab', 13);
    changed.routers.set('b', { cost: 30, noTraversal: false });
    expect(path && costOfPath(changed, path)).toBe((path?.cost ?? 0) + 20);
  });

  it('is null when something of the path is gone', () => {
    const lost = net();
    const path = cheapestPath(lost, 'a', 'c');
    if (!path) throw new Error('there is no path');
    lost.links.change('ab', { isDown: true });
    expect(costOfPath(lost, path)).toBeNull();
    lost.links.remove('ab');
    expect(costOfPath(lost, path)).toBeNull();
    lost.links.report('a', { id: 'ab', destId: 'c', protocol: 'tls', iteration: 2 });
    expect(costOfPath(lost, path)).toBeNull();
    const without = net();
    without.routers.delete('a');
    expect(costOfPath(without, path)).toBeNull();
    expect(costOfPath(without, { routers: ['a'], links: [], cost: 0 })).toBeNull();
  });
});

describe('random networks', () => {
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
  const router = fc.record({ cost: fc.integer({ min: 0, max: 40 }), noTraversal: fc.boolean() });
  const edges = fc
    .array(
      fc.record({
        ends: fc.tuple(fc.constantFrom(...names), fc.constantFrom(...names)),
        latency: fc.integer({ min: 0, max: 3 }).map((tens) => tens * 10),
        isDown: fc.boolean(),
      }),
      { maxLength: 24 },
    )
    .map((all) => all.map((each, index): Edge => ({ ...each, id: `l${index}` })));
  const routers = fc.record(Object.fromEntries(names.map((name) => [name, router])), {
    requiredKeys: ['a', 'b'],
  });

  it('have no cheaper path than the one that is found', () => {
    fc.assert(
      fc.property(routers, edges, (nodes, all) => {
        const net = network(nodes, all);
        const tree = cheapestPaths(net, 'a');
        for (const to of names) {
          const least = leastCost(net, ['a'], to);
          expect(tree.costTo(to)).toBe(least);
          const path = tree.pathTo(to);
          expect(path?.cost ?? null).toBe(least);
          if (path) expect(costOfPath(net, path)).toBe(least);
        }
      }),
    );
  });

  it('give the same path in whatever order their links were reported', () => {
    fc.assert(
      fc.property(
        routers,
        edges.chain((all) => fc.tuple(fc.constant(all), fc.shuffledSubarray([...all], { minLength: all.length }))),
        (nodes, [all, shuffled]) => {
          const [one, other] = [all, shuffled].map((each) => cheapestPaths(network(nodes, each), 'a'));
          for (const to of names) expect(one?.pathTo(to)).toEqual(other?.pathTo(to));
        },
      ),
    );
  });

  /** Tries every way that passes no router twice. */
  function leastCost(net: ReturnType<typeof network>, way: readonly string[], to: string): number | null {
    const at = way.at(-1) ?? '';
    if (at === to) return 0;
    if (way.length > 1 && net.routers.get(at)?.noTraversal) return null;
    const costs = [...net.links.ofRouter(at)].flatMap((link) => {
      const next = link.sourceId === at ? link.destId : link.sourceId;
      const entered = net.routers.get(next);
      if (link.isDown || !entered || way.includes(next)) return [];
      const rest = leastCost(net, [...way, next], to);
      return rest === null ? [] : [rest + link.cost + Math.max(entered.cost, 10)];
    });
    return costs.length > 0 ? Math.min(...costs) : null;
  }
});
