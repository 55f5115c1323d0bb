import { inRounds } from '../rounds.ts';
import type { Row } from '../row.ts';
import { printTable } from '../table.ts';
import { underLoad } from '../under-load.ts';

/** A row that compares a GET of the controller, on both stores, with a bare Koa that sends the same. */
export function reads(title: string, path: string): Row {
  return async (bench) => {
    const { bare, redis, sqlite } = bench.servers;
    const requests = { path, connections: 32 };
    const results = await inRounds(
      [
        underLoad('bare Koa + one GETEX', await bare(path), requests),
        underLoad('controller on Redis', await redis(), requests),
        underLoad('controller on SQLite', await sqlite(), requests),
      ],
      bench,
    );
    printTable(title, results);
  };
}
