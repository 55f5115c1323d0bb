// Prints ratios against baselines measured in the same rounds.
// Usage: node --conditions=source run.ts [row] [words of the row] [rounds=7] [seconds=2]
import { hasWrk } from './load.ts';
import { createProcesses } from './processes.ts';
import type { Row } from './row.ts';
import { namedRows, rows } from './rows/index.ts';
import { createServers } from './servers.ts';

const given = process.argv.slice(2);
const isNumber = (word: string) => /^\d+$/.test(word);
const [rounds = 7, seconds = 2] = given.filter(isNumber).map(Number);
const [name, ...words] = given.filter((word) => !isNumber(word));
if (rounds < 5 || seconds < 1) throw new Error('fewer than 5 rounds, or rounds below a second, say nothing');

await using processes = createProcesses();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void processes[Symbol.asyncDispose]().then(() => process.exit(1)));
}
const servers = createServers(processes);
process.stdout.write(
  `medians of ${rounds} rounds of ${seconds} s; ratios: median (lowest-highest) to the first line\n`,
);
if (!hasWrk) {
  process.stdout.write(
    '\n!!! wrk is not on PATH. The load comes from autocannon, which is slower than the server:\n' +
      '!!! every rate and p99 below is that of the generator. Only the CPU time per request says something about the server.\n',
  );
}
for (const row of chosen()) await row({ rounds, seconds, servers, processes, words });

function chosen(): readonly Row[] {
  if (name === undefined) return Object.values(rows);
  const row = { ...rows, ...namedRows }[name];
  if (!row) throw new Error(`no row "${name}"; there are ${Object.keys({ ...rows, ...namedRows }).join(', ')}`);
  return [row];
}
