import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LogFile } from './log-file.ts';
import { openFile } from './open-file.ts';

const createDatabase = () => {
  const folder = mkdtempSync(join(tmpdir(), 'edge-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'entities.db');
  const database = openFile(file);
  onTestFinished(() => void database.close());
  return { file, database };
};

it('opens a database that has no log yet, and changes nothing in it', async () => {
  const { file, database } = createDatabase();
  database.pragma('user_version = 7');
  const log = await LogFile.open(database, file);
  await log.flush();
  await log.close();
  expect(database.pragma('user_version', { simple: true })).toBe(7);
  expect(database.pragma('synchronous', { simple: true })).toBe(1);
});

it('flushes for all that wait at once, and again for who comes while it flushes', async () => {
  const { file, database } = createDatabase();
  const log = await LogFile.open(database, file);
  const [first, second] = [log.flush(), log.flush()];
  expect(second).toBe(first);
  await Promise.resolve();
  const third = log.flush();
  expect(third).not.toBe(first);
  await Promise.all([first, third]);
  await log.close();
});

it('fails for everything after a flush that has failed', async () => {
  const { file, database } = createDatabase();
  const log = await LogFile.open(database, file);
  // A closed file cannot be flushed.
  await log.close();
  await expect(log.flush()).rejects.toThrow();
  await expect(log.flush()).rejects.toThrow();
});
