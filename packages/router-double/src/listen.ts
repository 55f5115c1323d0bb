import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Resolves to the port. */
export async function listen(server: Server, { host, port }: { host: string; port: number }): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}
