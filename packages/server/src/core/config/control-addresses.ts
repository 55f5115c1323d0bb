import type { Settings } from './schema.ts';

/**
 * The addresses at which edge routers reach the controllers, as in their configuration: `tls:host:port`. `null` when this controller
 * listens to no routers and knows of no other one that does.
 */
export function controlAddresses(
  { routersBind, routersAddresses }: Pick<Settings, 'routersAddresses' | 'routersBind'>,
  apiAddress: string,
): readonly string[] | null {
  if (routersAddresses.length > 0) return routersAddresses.map((address) => `tls:${address}`);
  if (routersBind === null) return null;
  const port = routersBind.slice(routersBind.lastIndexOf(':') + 1);
  return [`tls:${apiAddress.slice(0, apiAddress.lastIndexOf(':'))}:${port}`];
}
