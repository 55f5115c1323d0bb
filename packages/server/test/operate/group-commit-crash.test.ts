import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { openSqliteEntityStore } from '../../src/storage/entity-store/sqlite/entity-store.ts';

const writer = fileURLToPath(new URL('../support/crash-writer.ts', import.meta.url));
const Database = createRequire(import.meta.url)('better-sqlite3');
const rounds = 6;

/** Writes for a short time, is killed, and returns the lines that it has printed. */
async function writeAndCrash(file: string, prefix: string): Promise<string[]> {
  const child = spawn(process.execPath, ['--conditions=source', '--no-warnings', writer, file, prefix], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const closed = once(child, 'close');
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  await once(child.stdout, 'data');
  await sleep(Math.random() * 300);
  child.kill('SIGKILL');
  await closed;
  // The last line may be incomplete.
  return output.split('\n').slice(0, -1);
}

it('a controller that is killed loses no acknowledged change, and leaves no half of one', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'edge-crash-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'entities.db');
  const acknowledged: string[] = [];
  const refused: string[] = [];
  for (let round = 0; round < rounds; round += 1) {
    for (const line of await writeAndCrash(file, `r${round}`)) {
      const [outcome, id = ''] = line.split(' ');
      (outcome === 'stored' ? acknowledged : refused).push(id);
    }
    const database = new Database(file);
    expect(database.pragma('integrity_check', { simple: true })).toBe('ok');
    database.close();
    const store = await openSqliteEntityStore({ file });
    const rows = await store.db.selectFrom('meta').select('key').where('key', 'like', 'r%-%').execute();
    const stored = new Set(rows.map(({ key }) => key));
    await store.close();
    expect(acknowledged.filter((id) => !stored.has(id) || !stored.has(`${id}-twin`))).toEqual([]);
    expect(refused.filter((id) => stored.has(id) || stored.has(`${id}-twin`))).toEqual([]);
    expect([...stored].filter((id) => !id.endsWith('-twin') && !stored.has(`${id}-twin`))).toEqual([]);
  }
  expect(acknowledged.length).toBeGreaterThan(rounds);
  expect(refused.length).toBeGreaterThan(0);
});
