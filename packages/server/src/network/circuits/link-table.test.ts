import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LinkReport } from './link-table.ts';
import { LinkTable } from './link-table.ts';

const link = (id: string, destId: string, iteration = 1): LinkReport => ({ id, destId, protocol: 'tls', iteration });

describe('a report of links', () => {
  it('adds a link from the router that reports it', () => {
    const links = new LinkTable();
    expect(links.report('a', link('ab', 'b'))).toBe('added');
    expect(links.get('ab')).toEqual({
      ...{ id: 'ab', sourceId: 'a', destId: 'b', protocol: 'tls', iteration: 1, connections: [] },
      ...{ sourceLatency: null, destLatency: null, staticCost: 1, isDown: false, cost: 130_001 },
    });
    expect([...links.ofRouter('b')]).toEqual([...links.all()]);
  });

  it('replaces a link only by a newer one of the same router', () => {
    const links = new LinkTable();
    links.report('a', link('ab', 'b', 2));
    expect(links.report('a', link('ab', 'b', 1))).toBe('known');
    expect(links.report('a', link('ab', 'c', 2))).toBe('known');
    expect(links.report('a', link('ab', 'b', 3))).toBe('replaced');
    expect(links.report('a', link('ab', 'c', 4))).toBe('moved');
    expect(links.get('ab')).toMatchObject({ destId: 'c', iteration: 4 });
    expect([...links.ofRouter('b')]).toEqual([]);
  });

  it('takes no link over from another router', () => {
    const links = new LinkTable();
    links.report('a', link('ab', 'b'));
    expect(links.report('b', link('ab', 'a', 9))).toBe('foreign');
    expect(links.report('m', link('ab', 'b', 9))).toBe('foreign');
    expect(links.get('ab')).toMatchObject({ sourceId: 'a', iteration: 1 });
  });

  it.each([
    ['without an id', link('', 'b')],
    ['with a long id', link('x'.repeat(101), 'b')],
    ['without a destination', link('ab', '')],
    ['to the router itself', link('ab', 'a')],
    ['with a long protocol', { ...link('ab', 'b'), protocol: 'x'.repeat(51) }],
    ['with a broken iteration', link('ab', 'b', Number.NaN)],
  ])('refuses a link %s', (_, report) => {
    const links = new LinkTable();
    expect(links.report('a', report)).toBe('invalid');
    expect(links.size).toBe(0);
  });

  it('refuses what exceeds the limits, and forgets what it counted when links go', () => {
    const links = new LinkTable({ perRouter: 2, total: 3 });
    expect(['1', '2', '3'].map((id) => links.report('a', link(id, 'b')))).toEqual(['added', 'added', 'too many']);
    expect(links.report('a', link('1', 'b', 2))).toBe('replaced');
    expect(['4', '5'].map((id) => links.report('b', link(id, 'a')))).toEqual(['added', 'too many']);
    links.remove('1');
    expect(links.report('a', link('3', 'b'))).toBe('added');
  });

  it('shows half a million characters of the connections of one router, and all others', () => {
    const links = new LinkTable();
    const address = 'x'.repeat(300);
    const connections = Array.from({ length: 16 }, () => ({ type: '', localAddress: address, remoteAddress: address }));
    const most = Math.floor((512 * 1024) / (16 * 600));
    const report = (source: string, id: number, iteration = 1) => {
      links.report(source, { ...link(`${source}-${id}`, 'b', iteration), connections });
      return links.get(`${source}-${id}`)?.connections.length;
    };
    const shown = Array.from({ length: most + 3 }, (_, id) => report('a', id));
    expect(shown).toEqual([...Array<number>(most).fill(16), 0, 0, 0]);
    expect(report('c', 1)).toBe(16);
    // What goes leaves room for others, and what is dialed again needs no more.
    for (const iteration of [2, 3, 4]) expect(report('a', 1, iteration)).toBe(16);
    links.remove('a-2');
    expect([report('a', most, 2), report('a', most + 1, 2)]).toEqual([16, 0]);
    links.disconnect('a');
    expect(report('a', 1)).toBe(16);
  });

  it('shows a bounded part of the connections', () => {
    const links = new LinkTable();
    const connection = { type: 'payload', localAddress: '1', remoteAddress: '2' };
    const long = { ...connection, localAddress: 'x'.repeat(301) };
    links.report('a', { ...link('ab', 'b'), connections: [long, ...Array<typeof connection>(40).fill(connection)] });
    expect(links.get('ab')?.connections).toHaveLength(15);
    links.setConnections('a', { id: 'ab', iteration: 1, connections: [connection] });
    links.setConnections('b', { id: 'ab', iteration: 1, connections: [] });
    links.setConnections('a', { id: 'ab', iteration: 2, connections: [] });
    expect(links.get('ab')?.connections).toEqual([connection]);
  });
});

describe('a fault of a link', () => {
  const reported = () => {
    const links = new LinkTable();
    links.report('a', link('ab', 'b', 2));
    return links;
  };

  it.each([
    ['a', 'b'],
    ['b', 'a'],
  ])('by an end removes the link and names the other end', (end, other) => {
    const links = reported();
    expect(links.fault(end, { id: 'ab', iteration: 2 })).toMatchObject({ link: { id: 'ab' }, otherEndId: other });
    expect(links.fault(end, { id: 'ab', iteration: 2 })).toBeNull();
    expect(links.size).toBe(0);
  });

  it('is ignored when it is older than the link, or no end reports it', () => {
    const links = reported();
    expect(links.fault('a', { id: 'ab', iteration: 1 })).toBeNull();
    expect(links.fault('m', { id: 'ab', iteration: 2 })).toBeNull();
    expect(links.fault('a', { id: 'unknown', iteration: 2 })).toBeNull();
    expect(links.size).toBe(1);
  });

  it('of a later iteration than the known one counts', () => {
    expect(reported().fault('b', { id: 'ab', iteration: 3 })).not.toBeNull();
  });
});

it('a router that disconnects takes the links along that it dialed, a deleted one all', () => {
  const links = new LinkTable();
  links.report('a', link('ab', 'b'));
  links.report('c', link('ca', 'a'));
  expect(links.disconnect('a').map(({ id }) => id)).toEqual(['ab']);
  expect([...links.ofRouter('a')].map(({ id }) => id)).toEqual(['ca']);
  expect(links.removeRouter('a').map(({ id }) => id)).toEqual(['ca']);
  expect(links.size).toBe(0);
});

describe('the cost of a link', () => {
  it('has the static cost and whole milliseconds of both latencies', () => {
    const links = new LinkTable();
    links.report('a', link('ab', 'b'));
    links.setLatency('a', 'ab', 12.9);
    expect(links.get('ab')?.cost).toBe(1 + 12 + 65_000);
    links.setLatency('b', 'ab', 3.2);
    links.setLatency('m', 'ab', 1_000);
    links.setLatency('a', 'ab', -1);
    links.setLatency('a', 'ab', Number.NaN);
    expect(links.get('ab')).toMatchObject({ cost: 16, sourceLatency: 12.9, destLatency: 3.2 });
    links.setLatency('b', 'ab', 1e12);
    expect(links.get('ab')?.cost).toBe(1 + 12 + 65_000);
  });

  it('keeps what administrators decide when the router dials again, and measures the latency anew', () => {
    const links = new LinkTable();
    links.report('a', link('ab', 'b'));
    links.setLatency('a', 'ab', 1);
    links.change('ab', { staticCost: 50, isDown: true });
    links.report('a', link('ab', 'b', 2));
    expect(links.get('ab')).toMatchObject({ staticCost: 50, isDown: true, sourceLatency: null, cost: 130_050 });
    expect(links.change('unknown', { isDown: true })).toBeNull();
  });

  it('moves the version only when a path may change', () => {
    const links = new LinkTable();
    links.report('a', link('ab', 'b'));
    links.setLatency('a', 'ab', 1.2);
    const { version } = links;
    links.setLatency('a', 'ab', 1.7);
    links.report('a', link('ab', 'b'));
    links.change('ab', { isDown: false });
    expect(links.version).toBe(version);
    links.change('ab', { isDown: true });
    expect(links.version).toBeGreaterThan(version);
  });
});

it('both ends of each link know it, whatever happens in whatever order', () => {
  const router = fc.constantFrom('a', 'b', 'c');
  const id = fc.constantFrom('1', '2', '3', '4');
  const iteration = fc.integer({ min: 0, max: 3 });
  const step = fc.oneof(
    fc.record({ kind: fc.constant('report' as const), router, id, iteration, destId: router }),
    fc.record({ kind: fc.constant('fault' as const), router, id, iteration }),
    fc.record({ kind: fc.constant('disconnect' as const), router }),
    fc.record({ kind: fc.constant('removeRouter' as const), router }),
  );
  fc.assert(
    fc.property(fc.array(step), (steps) => {
      const links = new LinkTable({ perRouter: 2, total: 3 });
      for (const each of steps) {
        if (each.kind === 'report') links.report(each.router, link(each.id, each.destId, each.iteration));
        else if (each.kind === 'fault') links.fault(each.router, each);
        else links[each.kind](each.router);
        const all = [...links.all()];
        for (const end of ['a', 'b', 'c']) {
          const own = all.filter(({ sourceId, destId }) => [sourceId, destId].includes(end));
          expect(new Set(links.ofRouter(end))).toEqual(new Set(own));
          expect(all.filter(({ sourceId }) => sourceId === end).length).toBeLessThanOrEqual(2);
        }
        expect(links.size).toBeLessThanOrEqual(3);
        if (all.length === 0) expect(links.report('z', link('9', 'y'))).toBe('added');
        links.remove('9');
      }
    }),
  );
});
