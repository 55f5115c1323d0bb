import { sessionPath } from '../call.ts';
import { inRounds } from '../rounds.ts';
import type { Row } from '../row.ts';
import { printTable } from '../table.ts';
import { underLoad } from '../under-load.ts';

const identityPath = '/edge/client/v1/current-identity';

/** The identity of the caller beside its API session. */
export const currentIdentity: Row = async (bench) => {
  for (const [store, start] of [
    ['SQLite', bench.servers.sqlite],
    ['Redis', bench.servers.redis],
  ] as const) {
    const server = await start();
    const results = await inRounds(
      [
        underLoad('GET current-api-session', server, { path: sessionPath, connections: 32 }),
        underLoad('GET current-identity', server, { path: identityPath, connections: 32 }),
      ],
      bench,
    );
    printTable(`current-identity, sessions on ${store}, entities on SQLite, 32 connections`, results);
  }
};
