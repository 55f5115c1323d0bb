// Tells whether connections with client certificates leave memory behind.
// Usage: node --conditions=source --no-warnings handshakes.ts [kind=handshakes] [connections=100000]
import { join } from 'node:path';
import { addDisabledDevice, enrollDevice, openConnections, signInRequest } from './client-certificates.ts';
import { createProcesses } from './processes.ts';

/** How many certificates a client presents, when it signs in and is refused. */
const refused: Readonly<Record<string, number>> = { refused: 1, 'out-of-order': 3, 'ten-certificates': 10 };

const given = process.argv.slice(2);
const [count = 100_000] = given.map(Number).filter(Number.isInteger);
const [kind = 'handshakes'] = given.filter((word) => !Number.isInteger(Number(word)));
const certificates = refused[kind];
if (certificates === undefined && kind !== 'handshakes') throw new Error(`no kind "${kind}" of connections`);
const steps = 10;
const atOnce = 16;
/** Connections before those that count: the compiler and the allocator need their share once. */
const warmUp = 1_000;
/** Bytes. What a connection may leave behind at most, and all together. */
const [tolerance, most] = [1_024, 20 * 1_048_576];

interface Memory {
  readonly rss: number;
  readonly heapUsed: number;
  readonly external: number;
}

await using processes = createProcesses();
const controller = await processes.start(join(import.meta.dirname, 'controller.ts'), {
  BENCH_DATA: join(processes.directory, 'sqlite'),
  BENCH_COLLECT: '1',
});
const { url } = controller.ready as { url: string };
const strangers = { areStrangers: true, request: signInRequest, status: 401 };
const connections = certificates
  ? { device: await addDisabledDevice(url, certificates), ...strangers }
  : { device: await enrollDevice(url, join(processes.directory, 'device')) };

const megabytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(1)} MB`;
const open = (left: number) => {
  const wantsMore = () => {
    left -= 1;
    return left >= 0;
  };
  return openConnections({ url, ...connections, atOnce, wantsMore });
};
const measure = async (when: string): Promise<Memory> => {
  const { memory } = (await controller.ask('memory')) as { memory: Memory };
  const { rss, heapUsed, external } = memory;
  const cells = [`RSS ${megabytes(rss)}`, `heap ${megabytes(heapUsed)}`, `external ${megabytes(external)}`];
  process.stdout.write(`${when.padStart(20)}: ${cells.join(', ')}\n`);
  return memory;
};

await measure('at the start');
await open(warmUp);
const measured = [await measure('after the warm-up')];
for (let step = 1; step <= steps; step += 1) {
  await open(count / steps);
  measured.push(await measure(`${(count / steps) * step} connections`));
}

const growth = (from: number) => (measured.at(-1)?.rss ?? 0) - (measured[from]?.rss ?? 0);
const slope = growth(steps / 2) / (count / 2);
process.stdout.write(
  `RSS grew by ${megabytes(growth(0))}, in the second half by ${slope.toFixed(0)} bytes per connection\n`,
);
// In a shorter run the allocator, which goes up and down by some MB, hides the slope.
if (growth(0) > most || (count >= 100_000 && slope > tolerance)) process.exitCode = 1;
