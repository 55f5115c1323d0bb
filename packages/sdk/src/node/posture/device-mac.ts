import { existsSync } from 'node:fs';
import { networkInterfaces } from 'node:os';

/** Addresses that a controller takes. */
const limit = 100;

/** The MAC addresses of the interfaces that have a network, always in the same order. */
export function deviceMac(): string[] {
  const interfaces = Object.entries(networkInterfaces());
  const hardware = interfaces.filter(([name]) => isHardware(name));
  const own = (hardware.length > 0 ? hardware : interfaces).flatMap(([, addresses = []]) => addresses);
  const real = own.filter(({ internal, mac }) => !internal && mac !== '00:00:00:00:00:00');
  return [...new Set(real.map(({ mac }) => mac))].sort().slice(0, limit);
}

/** On Linux. Bridges, tunnels and the interfaces of containers have no device. */
const isHardware = (name: string): boolean => existsSync(`/sys/class/net/${name}/device`);
