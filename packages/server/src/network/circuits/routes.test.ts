import { create, fromBinary, toBinary } from '@bufbuild/protobuf';
import { ForwardTo, RouteSchema } from '@edge-controller/router-messages';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Path } from './cheapest-path.ts';
import type { RoutedCircuit } from './routes.ts';
import { firstRoutes, rerouteRoutes, routersLeft } from './routes.ts';

const pathOver = (...ids: string[]): Path => ({
  ...{ routers: ids.filter((_, at) => at % 2 === 0), links: ids.filter((_, at) => at % 2 === 1), cost: 0 },
});
const circuit = (path: Path): RoutedCircuit => ({
  ...{ id: 'c1', path, ingressAddress: 'in', egressAddress: 'out' },
});
const first = {
  ...{ attempt: 1, timeout: 10_000 },
  target: { binding: 'edge', address: 't1', peerData: { 1003: new Uint8Array([7]) } },
};
const { START: start, END: end, LINK: link } = ForwardTo;

/** `src>dst:type` of each forward. */
const forwardsOf = (routes: ReturnType<typeof rerouteRoutes>) =>
  Object.fromEntries(
    routes.map(({ routerId, route }) => [
      routerId,
      route.forwards.map(({ srcAddress, dstAddress, dstType }) => `${srcAddress}>${dstAddress}:${dstType}`),
    ]),
  );

describe('the routes of a new circuit', () => {
  it('lead both ways through routers and links', () => {
    expect(forwardsOf(firstRoutes(circuit(pathOver('r1', 'A', 'r2', 'B', 'r3')), first))).toEqual({
      r1: [`in>A:${link}`, `A>in:${start}`],
      r2: [`A>B:${link}`, `B>A:${link}`],
      r3: [`B>out:${end}`, `out>B:${link}`],
    });
  });

  it('have one router when both ends are there', () => {
    expect(forwardsOf(firstRoutes(circuit(pathOver('r1')), first))).toEqual({
      r1: [`in>out:${end}`, `out>in:${start}`],
    });
  });

  it('inform only the last router how it reaches the application', () => {
    const routes = firstRoutes(circuit(pathOver('r1', 'A', 'r2')), first);
    expect(routes.map(({ route }) => route.egress)).toEqual([
      undefined,
      { binding: 'edge', address: 'out', destination: 't1', peerData: { 1003: new Uint8Array([7]) } },
    ]);
    for (const { route } of routes) {
      expect(route).toMatchObject({ circuitId: 'c1', attempt: 1, timeout: 10_000_000_000n });
    }
  });

  it('are the messages of the wire', () => {
    const [route] = firstRoutes(circuit(pathOver('r1')), first).map((each) => each.route);
    if (!route) throw new Error('there is no route');
    const read = fromBinary(RouteSchema, toBinary(RouteSchema, create(RouteSchema, route)));
    expect(read).toMatchObject({ ...route, egress: { ...route.egress } });
  });
});

it('a re-route keeps the addresses, dials nobody and has the attempt of all re-routes', () => {
  const routes = rerouteRoutes(circuit(pathOver('r1', 'C', 'r3')), 0.5);
  expect(forwardsOf(routes)).toEqual({ r1: [`in>C:${link}`, `C>in:${start}`], r3: [`C>out:${end}`, `out>C:${link}`] });
  for (const { route } of routes) {
    expect(route).not.toHaveProperty('egress');
    expect(route).toMatchObject({ attempt: 4_294_967_295, timeout: 0n });
  }
});

it('the routers that a circuit leaves are those of its former path alone', () => {
  expect(routersLeft(pathOver('r1', 'A', 'r2', 'B', 'r3'), pathOver('r1', 'C', 'r3'))).toEqual(['r2']);
  expect(routersLeft(pathOver('r1', 'A', 'r3'), pathOver('r1', 'C', 'r3'))).toEqual([]);
});

it('data reaches the other end and comes back on paths of any length', () => {
  fc.assert(
    fc.property(fc.nat({ max: 12 }), (hops) => {
      const ids = Array.from({ length: hops * 2 + 1 }, (_, at) => (at % 2 === 0 ? `r${at}` : `l${at}`));
      const routes = firstRoutes(circuit(pathOver(...ids)), first);
      const follow = (from: string, order: typeof routes) =>
        order.reduce(
          (address, { route }) => route.forwards.find(({ srcAddress }) => srcAddress === address)?.dstAddress ?? '',
          from,
        );
      expect(follow('in', routes)).toBe('out');
      expect(follow('out', routes.toReversed())).toBe('in');
    }),
  );
});
