import type { RouterNetwork } from '../../network/router-connections/router-network.ts';

/** What a router shows of its connection: a copy, which belongs to the response. */
export function shownConnection(network: RouterNetwork, id: string) {
  const { isOnline, hostname, supportedProtocols, syncStatus, versionInfo, interfaces } = network.connectionOf(id);
  return {
    ...{ isOnline, hostname, syncStatus },
    supportedProtocols: { ...supportedProtocols },
    versionInfo: { ...versionInfo },
    interfaces: interfaces?.map((one) => ({ ...one, addresses: [...one.addresses] })) ?? null,
  };
}
