import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createEdgeClient } from '@edge-controller/sdk/node';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { ControllerOptions } from '../../src/index.ts';
import { adminCredentials, startController } from '../support/controller.ts';
import { runExecutable } from '../support/executable.ts';
import { oldIdentity, openOldDatabase } from '../support/old-database.ts';
import { emptyPlace, makeOldDatabase, password, places, sealKey } from '../support/version-2.ts';

const clientOf = (server: { url: string; caFile: string }) =>
  createEdgeClient(server.url, { caFile: server.caFile, retries: 0 });

describe.each(places)('an interrupted upgrade on $stores', ({ open }) => {
  const many = 12_000;

  async function fill(options: ControllerOptions): Promise<void> {
    await using old = await openOldDatabase(options);
    for (let at = 0; at < many; at += 500) {
      const rows = Array.from({ length: 500 }, (_, index) =>
        oldIdentity(`many-${at + index}`, { roleAttributes: `["all","a${index}","b${at}","c${at + index}"]` }),
      );
      await old.insert('identities', ...rows);
    }
  }

  /** Whether the role attributes are being moved, or on SQLite: whether the migration has begun. */
  async function isMoving({ databaseUrl, dataDir = '' }: ControllerOptions): Promise<boolean> {
    if (!databaseUrl) return isLocked(join(dataDir, 'entities.db'));
    await using database = await openOldDatabase({ databaseUrl });
    const insert = `insert into "identities_roleAttributes"%`;
    const found = await database.query(`select 1 from pg_stat_activity where query like '${insert}'`);
    return found.length > 0;
  }

  function isLocked(file: string): boolean {
    const database = new Database(file, { timeout: 0 });
    try {
      database.exec('begin immediate; rollback');
      return false;
    } catch {
      return true;
    } finally {
      database.close();
    }
  }

  async function runAndKill(options: ControllerOptions, delay: number): Promise<void> {
    const child = runExecutable(['run'], {
      EDGE_DATA_DIR: options.dataDir ?? '',
      EDGE_SEAL_KEY: sealKey.toString('base64'),
      ...(options.databaseUrl ? { EDGE_DATABASE_URL: options.databaseUrl } : {}),
      ...(options.redisUrl ? { EDGE_REDIS_URL: options.redisUrl } : {}),
    });
    while (child.process.exitCode === null && !(await isMoving(options))) await sleep(1);
    await sleep(delay);
    child.process.kill('SIGKILL');
    await child.exited;
    expect(child.process.signalCode, child.stderr()).toBe('SIGKILL');
    expect(child.stdout()).not.toContain('listening');
  }

  async function expectOldVersion(options: ControllerOptions): Promise<void> {
    await using old = await openOldDatabase(options);
    expect(await old.query('select name from kysely_migration')).toHaveLength(2);
    const [row] = await old.query(`select "passwordHash" from authenticators where username = 'anna'`);
    expect(row?.passwordHash).toMatch(/^\$argon2id/);
    expect(await old.query(`select "roleAttributes" from identities where id = 'many-0'`)).toHaveLength(1);
  }

  async function expectComplete(options: ControllerOptions): Promise<void> {
    await using server = await startController(options);
    const admin = clientOf(server);
    await admin.signIn.password(adminCredentials);
    const list = admin.management.identities.list;
    expect((await list({ filter: 'anyOf(roleAttributes) = "all"' })).meta.pagination?.totalCount).toBe(many);
    expect((await list({ filter: 'count(roleAttributes) = 4' })).meta.pagination?.totalCount).toBe(many);
    await clientOf(server).signIn.password({ username: 'anna', password });
  }

  it('is undone when its process is killed, and completed by the next start', async () => {
    const options = await emptyPlace(open);
    await makeOldDatabase(options, Date.now());
    await fill(options);
    // Milliseconds after the begin. The whole migration takes many times longer.
    for (const delay of [0, 50, 100]) {
      await runAndKill(options, delay);
      await expectOldVersion(options);
    }
    await expectComplete(options);
  });

  it('is undone when it fails, and completed when the cause is gone', async () => {
    const options = await emptyPlace(open);
    await makeOldDatabase(options, Date.now());
    await fill(options);
    const repair = async (roleAttributes: string) => {
      await using old = await openOldDatabase(options);
      await old.query(`update identities set "roleAttributes" = '${roleAttributes}' where id = 'many-999'`);
    };
    await repair('["all"');
    await expect(startController(options)).rejects.toThrow();
    await expectOldVersion(options);
    await repair('["all","x","y","z"]');
    await expectComplete(options);
  });
});
