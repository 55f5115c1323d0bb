import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeEntityStore } from '../entity-store.contract.ts';
import { openSqliteEntityStore } from './entity-store.ts';

describeEntityStore('SQLite', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'edge-entities-'));
  const reopen = () => openSqliteEntityStore({ file: join(dir, 'entities.db') });
  const store = await reopen();
  return {
    store,
    reopen,
    async [Symbol.asyncDispose]() {
      await store.close();
      rmSync(dir, { recursive: true });
    },
  };
});
