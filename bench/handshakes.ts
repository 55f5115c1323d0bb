// Tells whether handshakes with client certificates leave memory behind.
// Usage: node --conditions=source --no-warnings handshakes.ts [handshakes=100000]
import { join } from 'node:path';
import { enrollDevice, openConnections } from './client-certificates.ts';
import { createProcesses } from './processes.ts';

const [count = 100_000] = process.argv.slice(2).map(Number);
const steps = 10;
const atOnce = 16;
/** Bytes. What a handshake may leave behind at most. */
const tolerance = 1_024;

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
const device = await enrollDevice(url, join(processes.directory, 'device'));

const megabytes = (bytes: number) => `${(bytes / 1_048_576).toFixed(1)} MB`;
const measured: Memory[] = [];
for (let step = 0; step <= steps; step += 1) {
  if (step > 0) {
    let left = count / steps;
    const wantsMore = () => {
      left -= 1;
      return left >= 0;
    };
    await openConnections({ url, device, atOnce, wantsMore });
  }
  const { memory } = (await controller.ask('memory')) as { memory: Memory };
  measured.push(memory);
  const { rss, heapUsed, external } = memory;
  const cells = [`RSS ${megabytes(rss)}`, `heap ${megabytes(heapUsed)}`, `external ${megabytes(external)}`];
  process.stdout.write(`${String((count / steps) * step).padStart(8)} handshakes: ${cells.join(', ')}\n`);
}

// The first half warms up: the allocator and the compiler need their share.
const [from, to] = [measured[steps / 2], measured[steps]];
const slope = ((to?.rss ?? 0) - (from?.rss ?? 0)) / (count / 2);
process.stdout.write(`RSS grew by ${slope.toFixed(0)} bytes per handshake in the second half\n`);
// In a shorter run the allocator, which goes up and down by 30 MB, hides the rest.
if (count >= 100_000 && slope > tolerance) process.exitCode = 1;
