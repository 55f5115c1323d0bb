import { copyFileSync, cpSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it, vi } from 'vitest';
import type { ControllerOptions } from '../../src/index.ts';
import { entriesOf, verified } from '../support/audit.ts';
import { startController, storePairs } from '../support/controller.ts';
import {
  emptyPlaces,
  environmentOf,
  maintain,
  runCommands,
  startWriter,
  temporaryDirectory,
} from '../support/maintenance.ts';
import { openOldDatabase } from '../support/old-database.ts';
import { freshRedis } from '../support/redis.ts';
import { sql } from '../support/sql.ts';
import { emptyPlace, makeOldDatabase, password, places } from '../support/version-2.ts';

// Most tests start several processes.
vi.setConfig({ testTimeout: 120_000 });

const management = '/edge/management/v1';
const own = '/edge/client/v1/current-api-session';

/** What a controller shows, as text: changes of anything show in it. */
async function contents(options: ControllerOptions): Promise<unknown> {
  const rows = await sql({ options }, 'select "id", "name", "updatedAt" from "identities" order by "id"');
  const files = readdirSync(join(options.dataDir ?? '', 'pki')).sort();
  return { rows, files: files.map((name) => readFileSync(join(options.dataDir ?? '', 'pki', name), 'utf8')) };
}

describe.each(storePairs)('backup and restore on $stores', ({ stores, open }) => {
  const kind = stores.startsWith('SQLite') ? 'SQLite' : 'PostgreSQL';
  const other = kind === 'SQLite' ? 'PostgreSQL' : 'SQLite';

  it.each([kind, other] as const)('keeps what was acknowledged before it began, restored to %s', async (to) => {
    const backup = join(temporaryDirectory(), 'backup');
    await using server = await startController(await open());
    const writer = await startWriter(server);
    await writer.reaches(40);
    const before = new Set(writer.acknowledged);
    const made = await maintain(server.options, 'backup', backup);
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(writer.acknowledged.size).toBeGreaterThan(before.size);
    await writer.stop();

    const target = await emptyPlaces[to]();
    expect(await maintain(target, 'restore', backup)).toMatchObject({ code: 0, stderr: '' });
    await using restored = await startController(target);
    const token = await restored.signIn();
    const listed = await restored.wire('GET', `${management}/identities?limit=-1&filter=name contains "person"`, {
      token,
    });
    const people = listed.body.data as { id: string; enrollment: object; roleAttributes: string[] }[];
    const ids = new Set(people.map(({ id }) => id));
    expect([...before].filter((id) => !ids.has(id))).toEqual([]);
    expect([...ids].filter((id) => !writer.acknowledged.has(id))).toEqual([]);
    const whole = people.filter(({ enrollment, roleAttributes }) => 'ott' in enrollment && roleAttributes.length === 1);
    expect(whole).toHaveLength(people.length);
    // Clients of the network trust the restored controller, and its serials go on.
    expect(readFileSync(restored.caFile)).toEqual(readFileSync(server.caFile));
    const [restoration, ...others] = await entriesOf(restored, token, 'event = "database.restored"');
    const { createdAt } = JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8'));
    expect(restoration?.details).toEqual({ from: 'backup', createdAt, version: expect.any(String) });
    expect(others).toEqual([]);
    expect((await verified(restored.options)).findings).toEqual([]);
    expect((await restored.addUser(token)).id).not.toBe('');
  });

  it('lets its owner alone read it, and leaves nothing behind when it fails', async () => {
    const directory = temporaryDirectory();
    await using server = await startController(await open());
    const backup = join(directory, 'backup');
    expect((await maintain(server.options, 'backup', backup)).code).toBe(0);
    const files = readdirSync(backup, { recursive: true, withFileTypes: true });
    for (const file of files) {
      const mode = statSync(join(file.parentPath, file.name)).mode & 0o777;
      expect(mode, file.name).toBe(file.isDirectory() ? 0o700 : 0o600);
    }
    expect(files.map(({ name }) => name)).toContain('seal.key');
    const again = await maintain(server.options, 'backup', backup);
    expect(again).toMatchObject({ code: 2, stderr: expect.stringContaining(`${backup} exists already`) });
    const empty = await maintain(await emptyPlaces[kind](), 'backup', join(directory, 'none'));
    expect(empty.code).not.toBe(0);
    expect(empty.stderr).toContain('to fix: ');
    const deep = await maintain(await emptyPlaces[kind](), 'backup', join(directory, 'new', 'none'));
    expect(deep.code).not.toBe(0);
    expect(readdirSync(directory)).toEqual(['backup']);
    expect((await maintain(server.options, 'backup', join(directory, 'new', 'deep', 'monday'))).code).toBe(0);
    expect(statSync(join(directory, 'new', 'deep')).mode & 0o777).toBe(0o700);
    expect(readdirSync(join(directory, 'new', 'deep'))).toEqual(['monday']);
  });

  it('says when there is no space, and leaves nothing half', async () => {
    const options = { ...(await open()), dataDir: join(temporaryDirectory(), 'data') };
    const directory = temporaryDirectory();
    {
      await using server = await startController(options);
      expect((await maintain(server.options, 'backup', join(directory, 'good'))).code).toBe(0);
    }
    const before = await contents(options);
    const [backup, moved, restored] = await Promise.all(
      ['backup new', 'export new.jsonl', 'restore good --replace'].map((command) => {
        // 512 bytes each.
        const limited = `cd "${directory}"; ulimit -f 100; edge-controller ${command}`;
        return runCommands(temporaryDirectory(), limited, { ...environmentOf(options), NODE_COMPILE_CACHE: '' });
      }),
    );
    for (const ended of [backup, moved, restored]) {
      expect(ended?.code, ended?.output).toBe(3);
      expect(ended?.output).toMatch(/may not grow|disk is full|disk reports an error/);
      expect(ended?.output).toContain('to fix: ');
    }
    expect(readdirSync(directory)).toEqual(['good']);
    expect(await contents(options)).toEqual(before);
    expect((await maintain(options, 'restore', join(directory, 'good'), '--replace')).code).toBe(0);
  });

  it('ends all API sessions for good: those of before, of after, and those that had ended', async () => {
    const options = await open();
    const backup = join(temporaryDirectory(), 'backup');
    const dataDir = join(temporaryDirectory(), 'data');
    const tokens: string[] = [];
    let user = { id: '', username: '', password: '' };
    {
      await using server = await startController({ ...options, dataDir });
      const admin = await server.signIn();
      user = await server.addUser(admin);
      tokens.push(admin, await server.signIn(user));
      expect((await maintain(server.options, 'backup', backup)).code).toBe(0);
      // Raises the credentials. The sessions after that have versions that the backup does not know.
      for (const disabling of ['disable', 'enable']) {
        await server.wire('POST', `${management}/identities/${user.id}/${disabling}`, { token: admin, body: {} });
      }
      tokens.push(await server.signIn(user), await server.signIn());
    }
    // As if the session store had brought back an older state: its sessions are there after the restore.
    const saved = options.redisUrl ? null : join(temporaryDirectory(), 'sessions.db');
    if (saved) copyFileSync(join(dataDir, 'sessions.db'), saved);
    const place = { ...options, dataDir };
    const away = options.redisUrl ? { ...place, redisUrl: 'redis://127.0.0.1:1' } : place;
    const restored = await maintain(away, 'restore', backup, '--replace');
    expect(restored.code, restored.stderr).toBe(0);
    if (options.redisUrl) expect(restored.stderr).toContain('could not be removed');
    if (saved) for (const end of ['-wal', '-shm']) rmSync(join(dataDir, `sessions.db${end}`), { force: true });
    if (saved) copyFileSync(saved, join(dataDir, 'sessions.db'));

    await using server = await startController(place);
    const status = async (token: string) => (await server.wire('GET', own, { token })).status;
    expect(await Promise.all(tokens.map(status))).toEqual(tokens.map(() => 401));
    const admin = await server.signIn();
    // A later raise gives none of them its version back.
    for (const disabling of ['disable', 'enable', 'disable', 'enable']) {
      await server.wire('POST', `${management}/identities/${user.id}/${disabling}`, { token: admin, body: {} });
    }
    expect(await Promise.all(tokens.map(status))).toEqual(tokens.map(() => 401));
    expect(await status(admin)).toBe(200);
  });

  it('removes the API sessions from their store', async () => {
    const options = { ...(await open()), dataDir: join(temporaryDirectory(), 'data') };
    const backup = join(temporaryDirectory(), 'backup');
    {
      await using server = await startController(options);
      await Promise.all(Array.from({ length: 5 }, () => server.signIn()));
      expect((await maintain(options, 'backup', backup)).code).toBe(0);
    }
    const { stderr, code } = await maintain(options, 'restore', backup, '--replace');
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    await using server = await startController(options);
    const token = await server.signIn();
    expect((await server.wire('GET', `${management}/api-sessions`, { token })).body.data).toHaveLength(1);
  });

  it('leaves the API sessions of a controller alone when it is tried beside it', async () => {
    const backup = join(temporaryDirectory(), 'backup');
    await using server = await startController(await open());
    const token = await server.signIn();
    expect((await maintain(server.options, 'backup', backup)).code).toBe(0);
    const { databaseUrl } = await emptyPlaces[kind]();
    const { redisUrl } = server.options;
    const beside = {
      dataDir: join(temporaryDirectory(), 'data'),
      ...(databaseUrl && { databaseUrl }),
      ...(redisUrl && { redisUrl }),
    };
    expect(await maintain(beside, 'restore', backup)).toMatchObject({ code: 0, stderr: '' });
    expect((await server.wire('GET', own, { token })).status).toBe(200);
  });

  it('keeps what it replaces in the data directory, and restores it again', async () => {
    const options = { ...(await open()), dataDir: join(temporaryDirectory(), 'data') };
    const backup = join(temporaryDirectory(), 'backup');
    {
      await using server = await startController(options);
      expect((await maintain(options, 'backup', backup)).code).toBe(0);
      await server.addUser(await server.signIn());
    }
    const kept = await contents(options);
    const { stdout } = await maintain(options, 'restore', backup, '--replace');
    const [, aside = ''] = /What was there before is in (\S+)/.exec(stdout) ?? [];
    expect(readdirSync(aside)).toContain('pki');
    expect(await contents(options)).not.toEqual(kept);
    if (kind === 'SQLite') expect(await contents({ dataDir: aside })).toEqual(kept);
  });
});

describe.each(storePairs)('a restore on $stores changes nothing', ({ stores, open }) => {
  const kind = stores.startsWith('SQLite') ? 'SQLite' : 'PostgreSQL';

  it('while a controller runs', async () => {
    const backup = join(temporaryDirectory(), 'backup');
    await using server = await startController(await open());
    expect((await maintain(server.options, 'backup', backup)).code).toBe(0);
    const before = await contents(server.options);
    const refused = await maintain(server.options, 'restore', backup, '--replace');
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(/(Another|A) controller uses/);
    expect(await contents(server.options)).toEqual(before);
    await server.signIn();
  });

  it('where something is, unless it is told to', async () => {
    const options = { ...(await open()), dataDir: join(temporaryDirectory(), 'data') };
    const backup = join(temporaryDirectory(), 'backup');
    {
      await using server = await startController(options);
      expect((await maintain(server.options, 'backup', backup)).code).toBe(0);
    }
    const before = await contents(options);
    const refused = await maintain(options, 'restore', backup);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--replace') });
    // The files may be elsewhere, and the database still be in use.
    const beside = await maintain({ ...options, dataDir: join(temporaryDirectory(), 'data') }, 'restore', backup);
    expect(beside.code).toBe(kind === 'SQLite' ? 0 : 2);
    expect(await contents(options)).toEqual(before);
  });

  it('with a backup that is damaged, cut, forged, newer, or of another seal key', async () => {
    const options = { ...(await open()), dataDir: join(temporaryDirectory(), 'data') };
    const directory = temporaryDirectory();
    const good = join(directory, 'good');
    {
      await using server = await startController(options);
      expect((await maintain(server.options, 'backup', good)).code).toBe(0);
    }
    const before = await contents(options);
    const edit = (path: string, change: (text: string) => string) =>
      writeFileSync(path, change(readFileSync(path, 'latin1')), 'latin1');
    const otherKey = Buffer.alloc(32, 7);
    const faults: [string, (backup: string) => void, RegExp, ControllerOptions?][] = [
      [
        'damaged',
        (at) => edit(join(at, 'entities.db'), (text) => text.replace('admin', 'admim')),
        /not as it was written/,
      ],
      ['cut', (at) => edit(join(at, 'entities.db'), (text) => text.slice(0, -1)), /not as it was written/],
      ['without a key', (at) => rmSync(join(at, 'pki/root.key')), /root\.key is missing/],
      ['without a manifest', (at) => rmSync(join(at, 'manifest.json')), /is no backup/],
      [
        'forged',
        (at) => edit(join(at, 'manifest.json'), (text) => text.replace('pki/ca.pem', '../../ca.pem')),
        /is wrong at files/,
      ],
      [
        'newer',
        (at) => edit(join(at, 'manifest.json'), (text) => text.replace('0001-identities', '9999-future')),
        /comes from a newer version/,
      ],
      [
        'of another format',
        (at) => edit(join(at, 'manifest.json'), (text) => text.replace('"version": 1', '"version": 2')),
        /wrong at version/,
      ],
      ['of another seal key', () => undefined, /not the key of this database/, { sealKey: otherKey }],
    ];
    for (const [fault, make, says, more = {}] of faults) {
      const backup = join(directory, fault);
      cpSync(good, backup, { recursive: true });
      make(backup);
      const { code, stderr } = await maintain({ ...options, ...more }, 'restore', backup, '--replace');
      expect(code, `${fault}: ${stderr}`).toBe(2);
      expect(stderr).toMatch(says);
      expect(stderr).toContain('to fix: ');
      expect(await contents(options), fault).toEqual(before);
    }
    expect(readdirSync(options.dataDir).filter((name) => /staging|replaced/.test(name))).toEqual([]);
  });
});

it.each(places)('a restore migrates a backup of an older schema from $stores', async ({ stores, open }) => {
  const options = await emptyPlace(open);
  await makeOldDatabase(options, Date.now());
  {
    await using _old = await openOldDatabase(options, '0013-posture-checks');
  }
  const backup = join(temporaryDirectory(), 'backup');
  expect(await maintain(options, 'backup', backup)).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(join(backup, 'manifest.json'), 'utf8')).changes.at(-1)).toBe('0013-posture-checks');
  const target = { ...(await emptyPlaces[stores]()), sealKey: options.sealKey };
  const restored = await maintain(target, 'restore', backup);
  expect(restored.code, restored.stderr).toBe(0);
  expect(restored.stderr).toContain('The backup has no PKI');
  await using server = await startController({ ...target, redisUrl: await freshRedis(inject('redisUrl')) });
  const signedIn = await server.wire('POST', '/edge/client/v1/authenticate?method=password', {
    body: { username: 'anna', password },
  });
  expect(signedIn.status).toBe(200);
});
