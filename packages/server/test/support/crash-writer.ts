// Creates rows in an entity database until it is killed, and prints the id of each as soon as it is acknowledged.
// Usage: node --conditions=source crash-writer.ts <file> <prefix of the ids>
import { openSqliteEntityStore } from '../../src/storage/entity-store/sqlite/entity-store.ts';

const [, , file = '', prefix = ''] = process.argv;
const store = await openSqliteEntityStore({ file });
let count = 0;

async function write(): Promise<never> {
  for (;;) {
    count += 1;
    const id = `${prefix}-${count}`;
    const isRefused = count % 7 === 0;
    const row = (key: string) => ({ key, value: '' });
    const change = store.transaction(async (tx) => {
      await tx.insertInto('meta').values(row(id)).execute();
      await tx
        .insertInto('meta')
        .values(row(`${id}-twin`))
        .execute();
      if (isRefused) throw new Error('refused');
    });
    if (isRefused) await change.catch(() => process.stdout.write(`refused ${id}\n`));
    else await change.then(() => process.stdout.write(`stored ${id}\n`));
  }
}

await Promise.all(Array.from({ length: 32 }, write));
