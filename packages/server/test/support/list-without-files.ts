// Lists while no further file can be opened, and then again. Prints the outcome of each list.
// Usage: node --conditions=source list-without-files.ts <file>
import { closeSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { openSqliteEntityStore } from '../../src/storage/entity-store/sqlite/entity-store.ts';

const [, , file = ''] = process.argv;
const store = await openSqliteEntityStore({ file });

async function list(): Promise<void> {
  const reading = store.lists.selectFrom('cas').select('id').execute();
  await reading.then(
    () => process.stdout.write('rows '),
    ({ code }) => process.stdout.write(`${code} `),
  );
}

const files: number[] = [];
try {
  for (;;) files.push(openSync('/dev/null', 'r'));
} catch {
  await Promise.all([list(), list(), list()]);
  await sleep(50);
}
for (const opened of files) closeSync(opened);
await list();
await store.close();
