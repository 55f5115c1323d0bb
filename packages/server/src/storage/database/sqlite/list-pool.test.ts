import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteEntityStore } from '../../entity-store/sqlite/entity-store.ts';

function emptyFile(): string {
  const dir = mkdtempSync(join(tmpdir(), 'edge-list-pool-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, 'entities.db');
}

it('a list fails with 503 when no process can start, and the controller goes on', () => {
  const program = fileURLToPath(new URL('../../../../test/support/list-without-files.ts', import.meta.url));
  const command = [process.execPath, '--conditions=source', '--no-warnings', program, emptyFile()];
  const printed = execFileSync('sh', ['-c', 'ulimit -n 120; exec "$@"', 'sh', ...command], { encoding: 'utf8' });
  expect(printed.trim()).toBe('STORE_UNAVAILABLE STORE_UNAVAILABLE STORE_UNAVAILABLE rows');
});

it('a killed process gets no other list, also when it has responded just before', async () => {
  const store = await openSqliteEntityStore({ file: emptyFile() });
  const list = () => store.lists.selectFrom('cas').select('id').execute();
  await list();
  const stopped = list();
  await nextTurn();
  // The event loop stands still for longer than a list may take.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_300);
  await expect(stopped).rejects.toMatchObject({ code: 'TIMEOUT' });
  await expect(Promise.all([list(), list(), list()])).resolves.toEqual([[], [], []]);
  await store.close();
});
