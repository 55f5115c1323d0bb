import { credentials, sessionPath, signInPath } from '../call.ts';
import { load } from '../load.ts';
import { inRounds } from '../rounds.ts';
import type { Row } from '../row.ts';
import { printTable } from '../table.ts';

/** How much longer session checks take while the same server hashes passwords on every core. */
export const storm: Row = async (bench) => {
  const { url, token } = await bench.servers.redis();
  const check = async (seconds: number) => {
    const { p99 } = await load({ url: url + sessionPath, token, seconds, connections: 4 });
    return { p99 };
  };
  const results = await inRounds(
    [
      { name: 'idle', measure: check },
      {
        name: 'during a storm of sign-ins',
        async measure(seconds) {
          // One second longer: the storm is there until the last check has its response.
          const signIns = { url: url + signInPath, body: credentials, seconds: seconds + 1, connections: 8 };
          const [figures] = await Promise.all([check(seconds), load(signIns)]);
          return figures;
        },
      },
    ],
    bench,
  );
  printTable('session checks on Redis, 4 connections', results);
};
