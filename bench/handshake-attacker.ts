// Handshakes with costly certificates, as a process of its own.
import { setTimeout } from 'node:timers/promises';
import { connect } from 'node:tls';
import { hugeExponents, manyNames, slowestAccepted } from '../packages/server/test/support/costly-chains.ts';

const chains = { none: () => ({}), manyNames, hugeExponents, slowestAccepted };

interface Order {
  readonly url: string;
  readonly chain: keyof typeof chains;
  /** Per second and address; `null`: as fast as it can. */
  readonly rate: number | null;
  readonly addresses: number;
  readonly seconds: number;
}

const atOnce = 4;

process.on('message', async (order: Order) => process.send?.({ handshakes: await attack(order) }));
process.send?.('ready');

async function attack({ url, chain, rate, addresses, seconds }: Order): Promise<number> {
  const given = chains[chain]();
  const end = performance.now() + seconds * 1_000;
  let handshakes = 0;
  const lines = Array.from({ length: rate === null ? Math.max(atOnce, addresses) : addresses }, async (_, line) => {
    // Another address than that of the session checks: theirs is known.
    const localAddress = `127.0.1.${1 + (line % addresses)}`;
    while (performance.now() < end) {
      await shakeHands({ host: '127.0.0.1', port: Number(new URL(url).port), localAddress, ...given });
      handshakes += 1;
      if (rate !== null) await setTimeout(1_000 / rate);
    }
  });
  await Promise.all(lines);
  return handshakes;
}

function shakeHands(target: { host: string; port: number; localAddress: string }): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ ...target, rejectUnauthorized: false }, () => socket.end());
    // The controller closes it, or the handshake waits for its turn.
    socket.setTimeout(1_000, () => socket.destroy());
    socket
      .resume()
      .on('error', () => undefined)
      .on('close', () => resolve());
  });
}
