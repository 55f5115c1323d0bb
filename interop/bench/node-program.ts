import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** What the programs in `interop/bench` are told on their command line. */
export const [identityFile = '', url = '', service = '', count = '0'] = process.argv.slice(2);

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;
/** Milliseconds until what has ended is gone. */
const rest = 1_000;

/** A line of JSON, as the programs in Go print them. */
export function print(event: string, more: object = {}): void {
  process.stdout.write(`${JSON.stringify({ event, at: Date.now(), ...more })}\n`);
}

/** Bytes that are in use, without garbage: in the heap and in buffers, and of the process. */
export async function memoryInUse(): Promise<{ readonly bytes: number; readonly rss: number }> {
  await sleep(rest);
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  return { bytes: heapUsed + external, rss };
}

/** Prints what each of the connections needs that were opened after `before`. */
export async function printMemory(before: Awaited<ReturnType<typeof memoryInUse>>, connections: number): Promise<void> {
  const now = await memoryInUse();
  print('memory', { bytes: (now.bytes - before.bytes) / connections, rss: (now.rss - before.rss) / connections });
}
