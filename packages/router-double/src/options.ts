import type { Frame } from '@edge-controller/shared-types/channel';
import type { Clock } from './clock.ts';
import type { RouterIdentity } from './router-identity.ts';

/** When a router does what. All in milliseconds. */
export interface RouterTimings {
  /** Before the first attempt to connect again. Each failure doubles it. */
  readonly reconnect: number;
  readonly longestReconnect: number;
  /** A TLS connection and the answer to the hello. */
  readonly connect: number;
  /** Between heartbeats of the control channel. */
  readonly heartbeat: number;
  /** Without an answer to heartbeats, before a router of version 2 closes the connection. */
  readonly silence: number;
  /** Between reports of the API sessions that are connected. */
  readonly apiSessionHeartbeat: number;
  /** For which an application waits whose API session is unknown. */
  readonly unknownToken: number;
  /** In which a full state must be complete. */
  readonly sync: number;
  /** For which a removed session is remembered. */
  readonly removedSession: number;
  /** After a reconnect, before the sessions are validated and the terminators are created again. */
  readonly validate: number;
  /** Between checks of what is idle, and how long an ended circuit must be idle. */
  readonly unroute: number;
  /** Between confirmations of idle circuits. */
  readonly confirm: number;
  /** For which a circuit must be idle to be confirmed. */
  readonly idleCircuit: number;
  /** Between reports of what could not be forwarded. */
  readonly forwardFault: number;
  /** In which the controller must answer. */
  readonly request: number;
  readonly createCircuit: number;
  /** After which a terminator is created again that the controller has not answered. */
  readonly establish: number;
  /** Before the first repetition when the controller is busy, or removed nothing. Each doubles it. */
  readonly retry: number;
  /** In which a hosting application must answer. */
  readonly dial: number;
  readonly inspect: number;
  /** Between reports of who is connected. */
  readonly connectEvents: number;
  /** After the start, until the network interfaces are reported. */
  readonly interfaces: number;
  /** Before what was not acknowledged is sent again. */
  readonly retransmit: number;
  /** Before the subscription to the keys is renewed. */
  readonly subscription: number;
}

/** Those of real routers, except for the reconnects, which take 5 seconds there. */
export const defaultTimings: RouterTimings = {
  ...{
    reconnect: 20,
    longestReconnect: 500,
    connect: 5_000,
    heartbeat: 10_000,
    silence: 30_000,
    apiSessionHeartbeat: 60_000,
  },
  ...{ unknownToken: 5_000, sync: 20_000, removedSession: 300_000, validate: 10_000, unroute: 5_000 },
  ...{ confirm: 60_000, idleCircuit: 60_000, forwardFault: 1_000, request: 5_000, createCircuit: 30_000 },
  ...{
    establish: 120_000,
    retry: 100,
    dial: 5_000,
    inspect: 10_000,
    connectEvents: 3_000,
    interfaces: 1_000,
    retransmit: 250,
    subscription: 300_000,
  },
};

/**
 * What a double does. Only the identity is needed.
 *
 * @example
 * const identity = await enrollRouter({ jwt });
 * const options: RouterDoubleOptions = { identity, timings: { apiSessionHeartbeat: 1_000 } };
 */
export interface RouterDoubleOptions {
  readonly identity: RouterIdentity;
  /** Where the controllers listen, `host:port` or `tls:host:port`. Default: those of the identity. */
  readonly controllers?: readonly string[];
  /** Host of the listeners, which the server certificate must name. Default: `127.0.0.1`. */
  readonly host?: string;
  /** Port for applications. Default: any. */
  readonly port?: number;
  /** Port for links of other routers. `null`: none. Default: any. */
  readonly linkPort?: number | null;
  /** What the router says that its version is. From `v2` on it does what routers of version 2 do. Default: `v1.7.2`. */
  readonly version?: string;
  /** `none`: the hello is never sent. Other members replace what a router says. */
  readonly hello?: 'none' | HelloChanges;
  /** What the router has kept of the data model. A real router keeps it in a file. Default: nothing. */
  readonly dataModel?: SavedDataModel;
  /** What a hostile router makes of a frame that an application sends. Default: the frame as it is. */
  readonly tamper?: (frame: Frame) => readonly Frame[];
  readonly timings?: Partial<RouterTimings>;
  readonly clock?: Clock;
}

/** The data model of the controller, of which a router needs the keys of session tokens. */
export interface SavedDataModel {
  readonly index: bigint;
  readonly timelineId: string;
  /** As the controller has sent them. */
  readonly keys: readonly Uint8Array[];
}

/** What a router says in its hello instead of the truth. */
export interface HelloChanges {
  /** The id, instead of that of the router. */
  readonly id?: string;
  /** More headers, or others. */
  readonly headers?: ReadonlyMap<number, Uint8Array>;
}
