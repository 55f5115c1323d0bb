/** What an edge router shows of its connection to the controller. */
export interface RouterConnection {
  readonly isOnline: boolean;
  readonly hostname: string;
  /** Protocol → address. */
  readonly supportedProtocols: Record<string, string>;
  readonly syncStatus: string;
}

/** While a router is not connected. */
export const offline: RouterConnection = {
  isOnline: false,
  hostname: '',
  supportedProtocols: {},
  syncStatus: 'SYNC_UNKNOWN',
};
