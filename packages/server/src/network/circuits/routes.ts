import type { Path } from './cheapest-path.ts';

/** What a router does with data that comes from an address. The wire has numbers for where it goes. */
export interface Forward {
  readonly srcAddress: string;
  readonly dstAddress: string;
  readonly dstType: (typeof forwardTo)[keyof typeof forwardTo];
}

/** How the last router reaches the application. */
export interface Egress {
  readonly binding: string;
  readonly address: string;
  /** The address of the terminator. */
  readonly destination: string;
  readonly peerData: Record<number, Uint8Array>;
}

/** What one router must know of a circuit: the message `Route`. */
export interface Route {
  readonly circuitId: string;
  readonly attempt: number;
  readonly forwards: Forward[];
  /** Only for the last router, and only when it dials the application. */
  readonly egress?: Egress;
  /** Nanoseconds that are left for the dial. */
  readonly timeout: bigint;
}

/** A circuit on a path. Both addresses are unique among all circuits of a router. */
export interface RoutedCircuit {
  readonly id: string;
  readonly path: Path;
  /** Where the data of the dialer comes in. */
  readonly ingressAddress: string;
  /** Where the data leaves for the application. */
  readonly egressAddress: string;
}

export interface RouteTarget {
  readonly binding: string;
  /** The address of the terminator. */
  readonly address: string;
  /** What the dialer says to the application, unchanged. */
  readonly peerData: Record<number, Uint8Array>;
}

/** Where data goes: to the dialer, to the application, or over a link. */
const forwardTo = { start: 0, end: 1, link: 2 } as const;

/** The attempt of every re-route. */
const rerouteAttempt = 0xffff_ffff;

/**
 * The routes of a new circuit, in the order of its path. All are sent at once.
 *
 * @param attempt 0, 1, …; each one needs a fresh circuit with addresses of its own
 * @param timeout milliseconds that are left
 */
export function firstRoutes(
  circuit: RoutedCircuit,
  { attempt, target, timeout }: { readonly attempt: number; readonly target: RouteTarget; readonly timeout: number },
): { readonly routerId: string; readonly route: Route }[] {
  const { binding, address: destination, peerData } = target;
  const egress = { binding, address: circuit.egressAddress, destination, peerData };
  return routesOf(circuit, { attempt, timeout }).map(({ routerId, route }, index, { length }) => ({
    routerId,
    route: index === length - 1 ? { ...route, egress } : route,
  }));
}

/**
 * The routes of a circuit that keeps its addresses and gets another path. Its ends are dialed already.
 *
 * @param timeout milliseconds that are left
 */
export function rerouteRoutes(
  circuit: RoutedCircuit,
  timeout: number,
): { readonly routerId: string; readonly route: Route }[] {
  return routesOf(circuit, { attempt: rerouteAttempt, timeout });
}

/** The routers that a circuit leaves with its former path. They forget it when it is idle, or by `Unroute`. */
export function routersLeft(former: Path, next: Path): readonly string[] {
  return former.routers.filter((id) => !next.routers.includes(id));
}

function routesOf(
  { id: circuitId, path, ingressAddress, egressAddress }: RoutedCircuit,
  { attempt, timeout }: { readonly attempt: number; readonly timeout: number },
): { readonly routerId: string; readonly route: Route }[] {
  const nanoseconds = BigInt(Math.max(0, Math.floor(timeout))) * 1_000_000n;
  // On the way from the dialer to the application, each address lies between two routers.
  const addresses = [ingressAddress, ...path.links, egressAddress];
  const last = addresses.length - 1;
  const forward = (from: number, to: number): Forward => ({
    srcAddress: addresses[from] ?? '',
    dstAddress: addresses[to] ?? '',
    dstType: to === 0 ? forwardTo.start : to === last ? forwardTo.end : forwardTo.link,
  });
  return path.routers.map((routerId, index) => ({
    routerId,
    route: {
      circuitId,
      attempt,
      forwards: [forward(index, index + 1), forward(index + 1, index)],
      timeout: nanoseconds,
    },
  }));
}
