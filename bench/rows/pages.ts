import { join } from 'node:path';
import { openFile } from '../../packages/server/src/storage/database/sqlite/open-file.ts';
import { call } from '../call.ts';
import { copyRows } from '../copy-rows.ts';
import { inRounds, median } from '../rounds.ts';
import type { Row } from '../row.ts';
import { startController } from '../servers.ts';
import { printTable } from '../table.ts';

const identities = 200_000;
const path = '/edge/management/v1/identities';

/** The pages. One in 5,000 identities has the role attribute `few`, one in 50 has `some`. */
const pages: Readonly<Record<string, Record<string, string>>> = {
  'by id': {},
  'by name': { sort: 'name' },
  'newest first': { sort: 'createdAt desc' },
  'by role attribute, 40 identities': { filter: 'anyOf(roleAttributes) = "few"' },
  'by role attribute, 4,000 identities': { filter: 'anyOf(roleAttributes) = "some"' },
  'by role attribute, 4,000 identities, by name': { filter: 'anyOf(roleAttributes) = "some"', sort: 'name' },
};

/** How long one page of 100 identities takes. */
export const pagesOfIdentities: Row = async (bench) => {
  const server = await startController(bench.processes, { name: 'pages' });
  const file = join(bench.processes.directory, 'pages', 'entities.db');
  const columns = {
    ...{ id: `'bench-' || n`, name: `'Identity number ' || n`, isDefaultAdmin: '0', externalId: 'null' },
    createdAt: `strftime('%Y-%m-%dT%H:%M:%fZ', 1700000000 + (n * 7919) % 900000, 'unixepoch')`,
  };
  copyRows({ file, table: 'identities', count: identities, columns });
  addAttributes(file);
  const contenders = Object.entries(pages).map(([name, query]) => ({
    name,
    async measure(seconds: number) {
      const url = `${server.url}${path}?${new URLSearchParams({ limit: '100', ...query })}`;
      const times: number[] = [];
      const end = performance.now() + seconds * 1_000;
      while (performance.now() < end) {
        const startedAt = performance.now();
        await call(url, { token: server.token });
        times.push(performance.now() - startedAt);
      }
      return { time: median(times) };
    },
  }));
  const [first, ...others] = contenders;
  if (!first) return;
  printTable(`one page of 100 of ${identities} identities`, await inRounds([first, ...others], bench));
};

function addAttributes(file: string): void {
  const database = openFile(file);
  for (const [attribute, every] of [
    ['few', 5_000],
    ['some', 50],
  ]) {
    database
      .prepare(`insert into "identities_roleAttributes" ("ownerId", "value")
        select "id", ? from "identities" where "rowid" % ? = 0`)
      .run(attribute, every);
  }
  database.close();
}
