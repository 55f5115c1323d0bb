import { join } from 'node:path';
import { credentials, signInPath } from '../call.ts';
import type { Figures } from '../rounds.ts';
import { inRounds } from '../rounds.ts';
import type { Row } from '../row.ts';
import { printTable } from '../table.ts';
import { underLoad } from '../under-load.ts';

export const signIns: Row = async (bench) => {
  const hash = await bench.processes.start(join(import.meta.dirname, '../hash.ts'));
  const requests = { path: signInPath, connections: 8, body: credentials };
  const results = await inRounds(
    [
      { name: 'argon2.verify alone', measure: async (seconds) => (await hash.ask(seconds)) as Figures },
      underLoad('controller on SQLite', await bench.servers.sqlite(), requests),
    ],
    bench,
  );
  printTable('password sign-ins', results.map(withoutP99));
};

/** `argon2.verify` has no connections that would wait for it. */
function withoutP99({ name, rounds }: { name: string; rounds: readonly Figures[] }) {
  return { name, rounds: rounds.map(({ p99: _, ...figures }) => figures) };
}
