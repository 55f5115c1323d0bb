// Session checks at a steady rate, as a process of its own: a load that does not slow down when the server does.
import { Agent, get } from 'node:https';
import { setTimeout } from 'node:timers/promises';

interface Order {
  readonly url: string;
  readonly token: string;
  /** Per second. */
  readonly rate: number;
  readonly seconds: number;
}

/** Milliseconds before the seconds that count, in which connections are opened. */
const leadIn = 250;
/** Milliseconds between two looks at how many are due. */
const tick = 2;

process.on('message', async (order: Order) => process.send?.(await measure(order)));
process.send?.('ready');

/** Each request counts from the moment when it was due. */
async function measure({ url, token, rate, seconds }: Order) {
  // The server closes those that are idle between two orders.
  const agent = new Agent({ keepAlive: true, maxSockets: 32, rejectUnauthorized: false });
  const times: Promise<number>[] = [];
  const start = performance.now();
  for (let now = start; now - start < leadIn + seconds * 1_000; now = performance.now()) {
    for (; times.length < ((now - start) * rate) / 1_000; ) {
      times.push(timeOf({ url, token, agent, due: start + (times.length * 1_000) / rate }));
    }
    await setTimeout(tick);
  }
  const counted = (await Promise.all(times)).slice((leadIn * rate) / 1_000);
  agent.destroy();
  const sorted = counted.toSorted((a, b) => a - b);
  return { p99: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN, longest: sorted.at(-1) ?? Number.NaN };
}

interface Check extends Pick<Order, 'url' | 'token'> {
  readonly agent: Agent;
  /** Of `performance.now`. */
  readonly due: number;
}

function timeOf({ url, token, agent, due }: Check): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = get(url, { agent, headers: { 'svc-session': token } }, (incoming) => {
      if (incoming.statusCode !== 200) reject(new Error(`status ${incoming.statusCode}`));
      incoming.resume().on('end', () => resolve(performance.now() - due));
    });
    outgoing.on('error', reject);
  });
}
