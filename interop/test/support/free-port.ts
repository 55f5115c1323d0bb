import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';

/** Ports that were free a moment ago. They differ from one another. */
export async function freePorts(count: number): Promise<number[]> {
  return holding(Array.from({ length: count }, () => 0));
}

/** The first four digits of ten ports of which those with the last digits 1 and 2 were free a moment ago. */
export async function freeDecade(): Promise<number> {
  const decade = 2_000 + Math.floor(Math.random() * 1_000);
  try {
    await holding([decade * 10 + 1, decade * 10 + 2]);
    return decade;
  } catch {
    return freeDecade();
  }
}

/** Listens on these ports for a moment, and returns them. 0 is any free one. @throws when one is taken */
async function holding(ports: readonly number[]): Promise<number[]> {
  const probes = ports.map((port) => createServer().listen(port, '127.0.0.1'));
  try {
    await Promise.all(probes.map((probe) => once(probe, 'listening')));
    return probes.map((probe) => (probe.address() as AddressInfo).port);
  } finally {
    await Promise.all(probes.map((probe) => new Promise((resolve) => probe.close(resolve))));
  }
}
