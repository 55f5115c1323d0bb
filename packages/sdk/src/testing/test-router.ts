import type { ManagementCalls } from '../api/generated/calls.ts';

type RouterBody = Parameters<ManagementCalls['edgeRouters']['create']>[0];

/**
 * Members of the edge router, and what the double does. Every member has a default.
 *
 * @example
 * const router = await controller.startRouter({ name: 'berlin', roleAttributes: ['eu'] });
 */
export interface NewRouter extends Partial<RouterBody> {
  /** Whether there are policies that let every identity and every service use every router. Default: `true`. */
  readonly policies?: boolean | undefined;
  /** Whether it does what routers 1.7 or 2.1 of the open-source network do. Default: `'1'`. */
  readonly version?: '1' | '2' | undefined;
  /** Milliseconds between two reports of the API sessions that are connected, which keep these alive. Default: 60,000. */
  readonly heartbeatInterval?: number | undefined;
}

/** What a router holds at the moment. */
export interface TestRouterState {
  /** API sessions that it knows. */
  readonly apiSessions: number;
  /** SHA-1 of the CAs whose certificates applications may have, in lower-case hex. Of version 2 alone. */
  readonly anchors: readonly string[];
  /** Applications that are connected. */
  readonly applications: number;
  /** What these have dialed, accepted, and host. */
  readonly connections: number;
  /** Ids of the terminators that these host. */
  readonly terminators: readonly string[];
  /** Ids. */
  readonly circuits: readonly string[];
  /** The links with other routers. */
  readonly links: readonly { readonly id: string; readonly routerId: string; readonly iteration: number }[];
}

/**
 * A router of a test controller. It stops with the controller.
 *
 * @example
 * const router = await controller.startRouter();
 * router.kill();
 * await router.restart();
 */
export interface TestRouter extends AsyncDisposable {
  readonly id: string;
  readonly name: string;
  /** Where applications connect to: `tls://127.0.0.1:<port>`. It stays over a restart. */
  readonly url: string;
  /** Whether it is connected to the controller, and knows its API sessions. */
  readonly isOnline: boolean;
  readonly state: TestRouterState;
  /** Resolves when it is online. After a restart of the controller it connects again by itself. */
  whenOnline(): Promise<void>;
  /** Loses the connection to the controller. It connects again by itself. */
  disconnect(): void;
  /** Loses a link with another router, which is made again by itself. `id`: one of `state.links`. */
  breakLink(id: string): void;
  /** Ends all connections in good order. */
  stop(): Promise<void>;
  /** Ends all connections without a word, as the death of a process does. */
  kill(): void;
  /** Stops it, if it runs, and starts it at the same address. It has forgotten what it knew of applications. */
  restart(): Promise<void>;
}
