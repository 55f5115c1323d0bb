import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { ControllerOptions } from '../../src/index.ts';
import { startController, storePairs } from '../support/controller.ts';
import { runExecutable } from '../support/executable.ts';
import { temporaryDirectory } from '../support/maintenance.ts';

async function run(args: readonly string[], { dataDir, databaseUrl, redisUrl }: ControllerOptions) {
  const env = {
    EDGE_DATA_DIR: dataDir,
    EDGE_DATABASE_URL: databaseUrl ?? undefined,
    EDGE_REDIS_URL: redisUrl ?? undefined,
  };
  const child = runExecutable(args, env);
  return { code: await child.exited, out: child.stdout(), errors: child.stderr() };
}

describe.each(storePairs)('the commands of the audit log on $stores', ({ open }) => {
  it('verify and print the log while a controller serves', async () => {
    await using server = await startController(await open());
    const { options } = server;
    const token = await server.signIn();
    await server.addUser(token);
    const body = { name: 'x\u009b2J\u202e\u200b', type: 'User', isAdmin: false };
    expect((await server.wire('POST', '/edge/management/v1/identities', { token, body })).status).toBe(201);
    const verified = await run(['audit', 'verify'], options);
    expect(verified).toMatchObject({ code: 0, out: expect.stringContaining('The audit log is intact.') });
    // A controller that has just started has signed nothing yet.
    expect(verified.errors).toContain('Note: there is no checkpoint in the data directory');
    const exported = await run(['audit', 'export'], options);
    const lines = exported.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.map(({ sequence }) => sequence)).toEqual(lines.map((_, at) => at + 1));
    expect(lines[0]).toMatchObject({
      event: 'controller.started',
      details: { settings: {} },
      hash: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    // What controls a terminal is escaped.
    expect(exported.out.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
    expect(lines.map(({ details }) => details.after?.name)).toContain(body.name);
    expect(verified.out).toContain(`${lines.length} entries, from 1 to ${lines.length}`);
  });
});

it('say which entry was changed, and that the end is cut off, with 5', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-audit-'));
  const server = await startController({ dataDir });
  await server.addUser(await server.signIn());
  await server.controller.close();
  expect((await run(['admin', 'reset-password'], { dataDir })).code).toBe(0);
  expect((await run(['audit', 'export'], { dataDir })).out).toContain('"event":"password.changed"');
  expect(await run(['audit', 'verify'], { dataDir })).toMatchObject({ code: 0, errors: '' });
  const database = new Database(join(dataDir, 'entities.db'));
  database.exec(`update "auditLog" set "identityId" = 'somebody else' where "sequence" = 4`);
  const changed = await run(['audit', 'verify'], { dataDir });
  expect(changed).toMatchObject({ code: 5, out: expect.stringMatching(/^Entry 4 was changed, swapped or inserted/) });
  database.exec(`delete from "auditLog" where "sequence" > 3`);
  database.exec(`update "auditHead" set "sequence" = 3, "hash" = (select "hash" from "auditLog" where "sequence" = 3)`);
  database.exec(`delete from "auditCheckpoints"`);
  database.close();
  const cut = await run(['audit', 'verify'], { dataDir });
  expect(cut).toMatchObject({ code: 5, out: expect.stringMatching(/^Entry \d+ is cut off: the log ends at 3, but/) });
  rmSync(dataDir, { recursive: true });
});

it('refuse a directory without a database with 2, and make none', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'edge-audit-'));
  const refused = await run(['audit', 'verify'], { dataDir });
  expect(refused).toMatchObject({
    code: 2,
    errors: expect.stringContaining('has no database\n  set in: EDGE_DATA_DIR'),
  });
  expect((await run(['audit', 'export'], { dataDir })).code).toBe(2);
  rmSync(dataDir, { recursive: true });
});

it('a command that takes too long is given up with a message', async () => {
  await using server = await startController();
  const env = { EDGE_DATA_DIR: server.options.dataDir, EDGE_COMMAND_TIME_LIMIT: '1ms' };
  for (const command of [
    ['audit', 'verify'],
    ['audit', 'export'],
    ['backup', join(temporaryDirectory(), 'none')],
  ]) {
    const { exited, stderr } = runExecutable(command, env);
    expect(await exited, command[0]).toBe(3);
    expect(stderr()).toMatch(/has not ended within 1ms and was given up\n {2}to fix: .*EDGE_COMMAND_TIME_LIMIT/);
  }
});
