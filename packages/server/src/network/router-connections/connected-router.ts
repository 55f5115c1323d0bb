/** What a router runs. */
export interface RouterVersion {
  readonly version: string;
  readonly revision: string;
  readonly buildDate: string;
  readonly os: string;
  readonly arch: string;
}

/** A network interface, as a router reports it. */
export interface RouterInterface {
  readonly name: string;
  readonly hardwareAddress: string;
  readonly mtu: number;
  readonly index: number;
  readonly isBroadcast: boolean;
  readonly isLoopback: boolean;
  readonly isMulticast: boolean;
  readonly isRunning: boolean;
  readonly isUp: boolean;
  /** In the notation of CIDR. */
  readonly addresses: readonly string[];
}

/** What a router shows of its connection to a controller. */
export interface RouterConnection {
  readonly isOnline: boolean;
  /** Where applications reach it. Empty while it is offline. */
  readonly hostname: string;
  /** Protocol → address. */
  readonly supportedProtocols: Readonly<Record<string, string>>;
  /** How far it knows the API sessions. */
  readonly syncStatus: string;
  readonly versionInfo: RouterVersion;
  readonly interfaces: readonly RouterInterface[] | null;
}

/** While a router is not connected. */
export const offline: RouterConnection = {
  isOnline: false,
  hostname: '',
  supportedProtocols: {},
  syncStatus: 'SYNC_UNKNOWN',
  versionInfo: { version: '', revision: '', buildDate: '', os: '', arch: '' },
  interfaces: null,
};

/** A router that is connected to a controller. */
export interface ConnectedRouter extends RouterConnection {
  readonly id: string;
  /** The message `LinkListeners` of its hello, in base64: where other routers connect to. Empty: nowhere. */
  readonly linkListeners: string;
  /** Whether it wants to know the other routers. */
  readonly managesLinks: boolean;
  /** As administrators have set it: what a path through it costs, and whether it may lead through it. */
  readonly cost: number;
  readonly noTraversal: boolean;
}
