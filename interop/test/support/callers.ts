import { setTimeout as sleep } from 'node:timers/promises';
import type { EdgeConnection } from '@edge-controller/sdk/node';
import { goDialer } from './clients.ts';
import type { Network, NetworkIdentity } from './network.ts';
import { nodeClient } from './node-clients.ts';

/** Somebody with open connections on which data flows. */
export interface Caller extends AsyncDisposable {
  /** Waits until all connections have ended, and returns when, as Unix time in milliseconds. */
  ended(): Promise<readonly number[]>;
  /** Tries to connect again for a moment. Returns how many connections it has got. */
  again(): Promise<number>;
}

interface CallerOptions {
  readonly network: Network;
  readonly identity: NetworkIdentity;
  readonly service: string;
  readonly connections: number;
}

const pulse = Buffer.alloc(100);
const pulsePause = 5;
/** Milliseconds in which a caller tries to connect again. */
const retryTime = 500;
const retryPause = 20;

/** Resolves when all connections of a client of the Go SDK are open. It dials again by itself. */
export async function goCaller({ identity, service, connections }: CallerOptions): Promise<Caller> {
  const dialer = goDialer(identity, { service, connections, keepOpen: true, redial: true });
  const numbers = Array.from({ length: connections }, (_, number) => number);
  const all = (event: string) =>
    Promise.all(numbers.map((number) => dialer.event(event, { matches: ({ connection }) => connection === number })));
  try {
    await all('open');
  } catch (error) {
    await dialer.stop('SIGKILL');
    throw error;
  }
  return {
    ended: async () => (await all('ended')).map(({ at }) => at),
    async again() {
      await sleep(retryTime);
      return dialer.count('open') - connections;
    },
    [Symbol.asyncDispose]: () => dialer.stop('SIGKILL'),
  };
}

/** Resolves when all connections of a client of this SDK are open. It signs in again when its session has ended. */
export async function nodeCaller({ network, identity, service, connections }: CallerOptions): Promise<Caller> {
  const edge = await nodeClient(identity, network.controller.url);
  const opened = await Promise.all(Array.from({ length: connections }, () => edge.dial(service)));
  const ends = opened.map(endOf);
  return {
    ended: () => Promise.all(ends),
    async again() {
      const end = Date.now() + retryTime;
      for (let count = 0; ; await sleep(retryPause)) {
        if (Date.now() > end) return count;
        const connection = await edge.dial(service).catch(() => null);
        if (connection) count += 1;
        connection?.on('error', () => undefined).destroy();
      }
    },
    async [Symbol.asyncDispose]() {
      edge.dispose();
      await Promise.all(ends);
    },
  };
}

function endOf(connection: EdgeConnection): Promise<number> {
  const timer = setInterval(() => connection.write(pulse), pulsePause);
  return new Promise((resolve) => {
    connection.on('data', () => undefined);
    connection.on('error', () => undefined);
    connection.on('close', () => {
      clearInterval(timer);
      resolve(Date.now());
    });
  });
}
