import type { ChildProcess } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import type { ControllerOptions } from '../../src/index.ts';
import { startController, storePairs } from '../support/controller.ts';
import { runExecutable } from '../support/executable.ts';
import { environmentOf, maintain, temporaryDirectory } from '../support/maintenance.ts';
import { createWire } from '../support/request.ts';
import { sql } from '../support/sql.ts';

vi.setConfig({ testTimeout: 180_000 });

const kills = 5;
/** Milliseconds. From its first file on, a restore takes some hundred. */
const pause = 60;
const management = '/edge/management/v1';
const admin = { username: 'admin', password: 'correct horse battery' };

async function names(options: ControllerOptions): Promise<string[]> {
  const rows = await sql({ options }, 'select "name" from "identities" order by "name"');
  return rows.map(({ name }) => String(name));
}

/** Resolves when a restore has begun to write. */
async function hasBegun(dataDir: string, { pid }: ChildProcess): Promise<void> {
  while (!existsSync(join(dataDir, `.staging-${pid}`))) await sleep(1);
}

describe.each(storePairs)('a restore on $stores', ({ open }) => {
  it('that is killed leaves the old rows or the new ones, and can be run again', async () => {
    const options = { ...(await open()), dataDir: join(temporaryDirectory(), 'data') };
    const backup = join(temporaryDirectory(), 'backup');
    const create = async (name: string) => {
      await using server = await startController(options);
      const token = await server.signIn();
      const created = await server.wire('POST', `${management}/identities`, {
        token,
        body: { name, type: 'User', isAdmin: false },
      });
      expect(created.status).toBe(201);
    };
    await create('of the backup');
    expect((await maintain(options, 'backup', backup)).code).toBe(0);
    const restored = await names(options);
    await create('later');
    const before = await names(options);
    let finished = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      const command = runExecutable(['restore', backup, '--replace'], environmentOf(options));
      await hasBegun(options.dataDir, command.process);
      await sleep(kill * pause);
      command.process.kill('SIGKILL');
      await command.exited;
      const left = await names(options);
      expect([before, restored]).toContainEqual(left);
      await using server = await startController(options);
      expect(server.controller.admin.created).toBe(false);
      if (left.length === restored.length) {
        finished += 1;
        await server[Symbol.asyncDispose]();
        await create('later');
      }
    }
    expect(finished).toBeLessThan(kills);
    expect(await maintain(options, 'restore', backup, '--replace')).toMatchObject({ code: 0, stderr: '' });
    expect(await names(options)).toEqual(restored);
    expect(readdirSync(options.dataDir).filter((name) => name.startsWith('.staging'))).toEqual([]);
  });
});

it('a restore keeps the last changes of a killed controller in what it replaces', async () => {
  const dataDir = join(temporaryDirectory(), 'data');
  const backup = join(temporaryDirectory(), 'backup');
  const env = { EDGE_DATA_DIR: dataDir, EDGE_ADMIN_USERNAME: admin.username, EDGE_ADMIN_PASSWORD: admin.password };
  const server = runExecutable([], env);
  const wire = createWire(await server.ready, join(dataDir, 'pki/ca.pem'));
  expect((await maintain({ dataDir }, 'backup', backup)).code).toBe(0);
  const session = await wire('POST', '/edge/management/v1/authenticate?method=password', { body: admin });
  const body = { name: 'in the log', type: 'User', isAdmin: false };
  const created = await wire('POST', `${management}/identities`, { token: session.body.data.token, body });
  expect(created.status).toBe(201);
  server.process.kill('SIGKILL');
  await server.exited;
  expect(existsSync(join(dataDir, 'entities.db-wal'))).toBe(true);
  const { stdout } = await maintain({ dataDir }, 'restore', backup, '--replace');
  const [, aside = ''] = /What was there before is in (\S+)/.exec(stdout) ?? [];
  expect(await names({ dataDir: aside })).toContain('in the log');
  expect(await names({ dataDir })).not.toContain('in the log');
  expect((await maintain({ dataDir }, 'doctor')).code).toBe(0);
});
