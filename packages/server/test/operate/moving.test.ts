import { createHash } from 'node:crypto';
import { createReadStream, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { describe, expect, it, vi } from 'vitest';
import type { ControllerOptions } from '../../src/index.ts';
import { entriesOf, verified } from '../support/audit.ts';
import { startController, storePairs } from '../support/controller.ts';
import { runExecutable } from '../support/executable.ts';
import { emptyPlaces, environmentOf, maintain, startWriter, temporaryDirectory } from '../support/maintenance.ts';
import { copySamples, createSamples } from '../support/many-entities.ts';
import { sql } from '../support/sql.ts';

const identities = Number(process.env.EDGE_TEST_MOVED ?? 2_000);
const management = '/edge/management/v1';
/** Milliseconds. */
const timeout = 120_000 + identities * 6;
/** MiB of JavaScript objects that a command may keep, however many entities there are. */
const heapLimit = 64;

vi.setConfig({ testTimeout: timeout });

/** Runs a command that may keep little in memory. */
async function maintainWithin(options: ControllerOptions, ...args: readonly string[]): Promise<string> {
  const limit = { NODE_OPTIONS: `--max-old-space-size=${heapLimit}` };
  const { exited, stdout, stderr } = runExecutable(args, { ...environmentOf(options), ...limit });
  expect(await exited, stderr()).toBe(0);
  return stdout();
}

/** The rows of an export, without what an import writes itself: it ends all API sessions, and adds an entry to the audit log. */
async function rowsOf(file: string): Promise<string[]> {
  const rows: string[] = [];
  for await (const line of createInterface(createReadStream(file))) {
    const isOfImport = line.includes('"event":"database.restored"');
    if (/^\{"table":"(?!credentials"|outbox"|auditHead")/.test(line) && !isOfImport) rows.push(line);
  }
  return rows;
}

it(`moves ${identities} identities from SQLite to PostgreSQL and back, within bounded memory, and no row changes`, async () => {
  const directory = temporaryDirectory();
  const dataDir = join(directory, 'data');
  {
    await using server = await startController({ dataDir });
    await createSamples(server);
  }
  copySamples(dataDir, { identities, services: identities / 10 });
  const [first, second, third] = ['first', 'second', 'third'].map((name) => join(directory, `${name}.jsonl`));
  await maintainWithin({ dataDir }, 'export', first ?? '');
  expect(statSync(first ?? '').mode & 0o777).toBe(0o600);

  // The keys stay: only the entities move.
  const { databaseUrl, redisUrl } = await emptyPlaces.PostgreSQL();
  const onPostgres = { dataDir, databaseUrl: databaseUrl ?? '', redisUrl: redisUrl ?? '' };
  await maintainWithin(onPostgres, 'import', first ?? '');
  await maintainWithin(onPostgres, 'export', second ?? '');
  const back = await maintainWithin({ dataDir }, 'import', second ?? '', '--replace');
  expect(back).toContain('What was there before is in');
  await maintainWithin({ dataDir }, 'export', third ?? '');

  const rows = await rowsOf(first ?? '');
  expect(rows.length).toBeGreaterThan(identities * 4);
  expect((await rowsOf(second ?? '')).filter((row, at) => row !== rows[at])).toEqual([]);
  expect((await rowsOf(third ?? '')).filter((row, at) => row !== rows[at])).toEqual([]);

  await using server = await startController({ dataDir });
  const token = await server.signIn();
  const filter = encodeURIComponent(`name contains "person"`);
  const listed = await server.wire('GET', `${management}/identities?limit=1&filter=${filter}`, { token });
  expect(listed.body.meta.pagination.totalCount).toBe(identities);
  const imports = await entriesOf(server, token, 'event = "database.restored"');
  expect(imports.map(({ details }) => details)).toEqual([
    { from: 'export', createdAt: expect.any(String), version: expect.any(String) },
    { from: 'export', createdAt: expect.any(String), version: expect.any(String) },
  ]);
  expect((await verified(server.options)).findings).toEqual([]);
});

describe.each(storePairs)('an export from $stores', ({ stores, open }) => {
  it('keeps what was acknowledged before it began, on the other database', async () => {
    const file = join(temporaryDirectory(), 'export.jsonl');
    const dataDir = join(temporaryDirectory(), 'data');
    const before = new Set<string>();
    const acknowledged = new Set<string>();
    {
      await using server = await startController({ ...(await open()), dataDir });
      const writer = await startWriter(server);
      await writer.reaches(40);
      for (const id of writer.acknowledged) before.add(id);
      expect(await maintain(server.options, 'export', file)).toMatchObject({ code: 0, stderr: '' });
      expect(writer.acknowledged.size).toBeGreaterThan(before.size);
      await writer.stop();
      for (const id of writer.acknowledged) acknowledged.add(id);
    }
    const other = await emptyPlaces[stores.startsWith('SQLite') ? 'PostgreSQL' : 'SQLite']();
    const target = { ...other, dataDir };
    expect(await maintain(target, 'import', file)).toMatchObject({ code: 0, stderr: '' });
    await using server = await startController(target);
    const token = await server.signIn();
    const filter = encodeURIComponent('name contains "person"');
    const listed = await server.wire('GET', `${management}/identities?limit=-1&filter=${filter}`, { token });
    const people = listed.body.data as { id: string; enrollment: object; roleAttributes: string[] }[];
    const ids = new Set(people.map(({ id }) => id));
    expect([...before].filter((id) => !ids.has(id))).toEqual([]);
    expect([...ids].filter((id) => !acknowledged.has(id))).toEqual([]);
    const whole = people.filter(({ enrollment, roleAttributes }) => 'ott' in enrollment && roleAttributes.length === 1);
    expect(whole).toHaveLength(people.length);
    // The sealed token of an enrollment and a password still work.
    expect(JSON.stringify(whole[0]?.enrollment)).toMatch(/"jwt":"ey/);
    expect((await server.addUser(token)).id).not.toBe('');
  });
});

/** The lines of an export with the checksum and the number of rows that they have. */
function signed(lines: readonly string[]): string[] {
  const all = lines.join('\n').split('\n').slice(0, -2);
  const text = all.map((line) => `${line}\n`).join('');
  const sha256 = createHash('sha256').update(text).digest('hex');
  return [...all, JSON.stringify({ end: true, rows: all.length - 1, sha256 }), ''];
}

describe.each(storePairs)('an import on $stores', ({ stores, open }) => {
  const kind = stores.startsWith('SQLite') ? 'SQLite' : 'PostgreSQL';

  it('refuses a file with one fault, names the line, and changes nothing', async () => {
    const options = { ...(await open()), dataDir: join(temporaryDirectory(), 'data') };
    const file = join(temporaryDirectory(), 'export.jsonl');
    {
      await using server = await startController(options);
      await createSamples(server);
      expect((await maintain(options, 'export', file)).code).toBe(0);
    }
    const good = readFileSync(file, 'utf8').split('\n');
    const at = good.findIndex((line) => line.startsWith('{"table":"identities"'));
    const edited = (change: (line: string) => string) =>
      good.map((line, index) => (index === at ? change(line) : line));
    const place = { ...(await emptyPlaces[kind]()), dataDir: options.dataDir };
    const target = kind === 'SQLite' ? options : place;
    const replace = kind === 'SQLite' ? ['--replace'] : [];
    const rows = () => sql({ options }, 'select * from "identities" order by "id"');
    const before = await rows();
    const faults: [string, string[], RegExp][] = [
      ['another value', edited((line) => line.replace('"name":"', '"name":"x')), /not as it was written/],
      ['cut', [...good.slice(0, -4), ''], /line \d+: its end is missing/],
      ['cut in a line', good.slice(0, -4), /its last line is cut/],
      ['a missing row', good.filter((_, index) => index !== at), /it has \d+ rows instead of \d+/],
      [
        'a row twice',
        good.flatMap((line, index) => (index === at ? [line, line] : [line])),
        new RegExp(`line ${at + 2}: identities: UNIQUE constraint failed: identities\\.name`),
      ],
      [
        'a value that exists',
        signed(edited((line) => `${line.replace(/"id":"[^"]*"/, '"id":"another"')}\n${line}`)),
        new RegExp(`line ${at + 2}: identities: UNIQUE constraint failed: identities\\.name`),
      ],
      [
        'a missing reference',
        signed(edited((line) => line.replace(/"authPolicyId":"[^"]*"/, '"authPolicyId":"none"'))),
        new RegExp(`line ${at + 1}: identities: a row refers to a row of authPolicies that does not exist`),
      ],
      ['an unknown column', edited((line) => line.replace('"name":', '"nome":')), /no column nome/],
      ['an unknown table', edited((line) => line.replace('"identities"', '"people"')), /no such table/],
      [
        'another type',
        edited((line) => line.replace(/"isAdmin":\d/, '"isAdmin":"yes"')),
        /isAdmin must have the type integer/,
      ],
      ['no boolean', edited((line) => line.replace(/"isAdmin":\d/, '"isAdmin":7')), /isAdmin must be 0 or 1/],
      ['no JSON in a column', edited((line) => line.replace(/"tags":"[^"]*"/, '"tags":"{"')), /tags must have JSON/],
      ['no JSON', edited((line) => line.slice(0, -1)), /it is not JSON/],
      [
        'a newer schema',
        good.map((line) => line.replace('0001-identities', '9999-future')),
        /comes from a newer version/,
      ],
      ['something else', ['this is no export', ''], /line 1: it is not JSON/],
    ];
    for (const [fault, lines, says] of faults) {
      const path = join(temporaryDirectory(), 'wrong.jsonl');
      writeFileSync(path, lines.join('\n'));
      const { code, stderr } = await maintain(target, 'import', path, ...replace);
      expect(stderr, fault).toMatch(says);
      expect(stderr).toContain('to fix: ');
      expect(code, fault).toBe(2);
    }
    expect(await rows()).toEqual(before);
  });

  it('refuses a database that is not empty, another seal key, and a controller that runs', async () => {
    const options = { ...(await open()), dataDir: join(temporaryDirectory(), 'data') };
    const file = join(temporaryDirectory(), 'export.jsonl');
    {
      await using server = await startController(options);
      expect((await maintain(options, 'export', file)).code).toBe(0);
      expect((await maintain(server.options, 'import', file, '--replace')).code).toBe(3);
    }
    const refused = await maintain(options, 'import', file);
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('--replace') });
    const elsewhere = await emptyPlaces[kind]();
    const withoutKey = await maintain(elsewhere, 'import', file);
    expect(withoutKey.stderr).toContain('restore the file from a backup, or set EDGE_SEAL_KEY to the key');
    expect(withoutKey.code).toBe(2);
    const nothing = await maintain(elsewhere, 'import', join(temporaryDirectory(), 'none'));
    expect(nothing.stderr).toContain('does not exist (ENOENT)');
    const sealKey = Buffer.from(readFileSync(join(options.dataDir, 'keys/seal.key'), 'utf8'), 'base64');
    expect((await maintain({ ...elsewhere, sealKey }, 'import', file)).code).toBe(0);
  });
});
