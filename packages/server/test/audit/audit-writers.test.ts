import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it, onTestFinished } from 'vitest';
import { AuditLog } from '../../src/audit/audit-log.ts';
import { createCheckpointSigner } from '../../src/audit/checkpoint-signer.ts';
import { shortenLog } from '../../src/audit/shorten-log.ts';
import { verifyLog } from '../../src/audit/verify-log.ts';
import { createEventBus } from '../../src/core/events/bus.ts';
import { openPki } from '../../src/pki/pki.ts';
import { recordExpired } from '../../src/sessions/record-expired.ts';
import { openPostgresEntityStore } from '../../src/storage/entity-store/postgres/entity-store.ts';
import { openSqliteEntityStore } from '../../src/storage/entity-store/sqlite/entity-store.ts';
import { freshDatabase } from '../support/postgres.ts';
import { testTime } from '../support/totp.ts';

type Observe = (statement: { readonly text: string }) => void;

const databases = [
  {
    database: 'SQLite',
    open: async (dir: string) => (observe: Observe) =>
      openSqliteEntityStore({ file: join(dir, 'entities.db'), observe }),
  },
  {
    database: 'PostgreSQL',
    async open() {
      const url = await freshDatabase(inject('postgresUrl'));
      return (observe: Observe) => openPostgresEntityStore({ url, observe });
    },
  },
];

/** Two controllers with one database. */
async function openWriters(open: (typeof databases)[number]['open']) {
  const dir = mkdtempSync(join(tmpdir(), 'edge-audit-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const openStore = await open(dir);
  const { clock, pass } = testTime();
  const signer = createCheckpointSigner(await openPki({ dir: join(dir, 'pki'), names: [], clock }));
  const openWriter = async () => {
    const statements: string[] = [];
    const database = await openStore(({ text }) => statements.push(text));
    onTestFinished(() => database.close());
    const events = createEventBus(() => undefined);
    const emitted: string[] = [];
    events.on('apiSession.ended', ({ apiSessionId }) => emitted.push(apiSessionId));
    const audit = new AuditLog({ database, events, clock, isEnabled: true });
    const enrolled = (identityId: string) => ({ name: 'mfa.enrolled', payload: { identityId } }) as const;
    return {
      entities: database,
      write: (identityId: string) => audit.write({}, enrolled(identityId)),
      change: (identityId: string) => database.transaction((tx) => audit.append(tx, {}, [enrolled(identityId)])),
      /** Writes an entry in a transaction, which then waits. Returns what commits it, or rolls it back. */
      async hold(identityId: string) {
        const appended = Promise.withResolvers<void>();
        const end = Promise.withResolvers<void>();
        const ended = database.transaction(async (tx) => {
          await audit.append(tx, {}, [enrolled(identityId)]);
          appended.resolve();
          await end.promise;
        });
        await Promise.race([appended.promise, ended]);
        return {
          commit: () => [end.resolve(), ended],
          async rollBack() {
            end.reject(new Error('rolled back'));
            await expect(ended).rejects.toThrow('rolled back');
          },
        };
      },
      expire: (ids: readonly string[]) =>
        recordExpired(
          { database, audit, events },
          ids.map((id) => ({ id, identityId: `identity of ${id}` })),
        ),
      emitted,
      shorten: (retention: number) => shortenLog({ database, audit, signer, clock, retention, maxSize: 2 ** 40 }),
      /** The statements since the last call. */
      takeStatements: () => statements.splice(0),
    };
  };
  const [one, other] = [await openWriter(), await openWriter()];
  const { entities: database } = one;
  return {
    ...{ one, other, pass, entities: database },
    verify: () => verifyLog({ database, signer, own: null }),
    async identities() {
      const rows = await database.db.selectFrom('auditLog').select('identityId').orderBy('sequence').execute();
      return rows.map(({ identityId }) => identityId);
    },
  };
}

const numbered = (name: string) => Array.from({ length: 200 }, (_, at) => `${name} ${at}`);

it.each(databases)('controllers that write at the same time write one chain, on $database', async ({ open }) => {
  const { one, other, verify, identities } = await openWriters(open);
  const [written, alsoWritten, changed] = [numbered('written'), numbered('also written'), numbered('changed')];
  // Some at a time: whoever waits for a connection of the pool for long gets an error, and the machine may be slow.
  const each = (ids: readonly string[], write: (id: string, at: number) => Promise<unknown>) => {
    const left = [...ids.entries()];
    const next = async () => {
      for (let id = left.shift(); id; id = left.shift()) await write(id[1], id[0]);
    };
    return Promise.all(Array.from({ length: 4 }, next));
  };
  await Promise.all([
    each(written, one.write),
    each(alsoWritten, other.write),
    each(changed, (id, at) => (at % 2 === 0 ? one : other).change(id)),
  ]);
  expect((await identities()).toSorted()).toEqual([...written, ...alsoWritten, ...changed].toSorted());
  expect(await verify()).toMatchObject({ first: 1, last: 600, entries: 600, findings: [] });
});

it.each(databases)('a controller writes behind the entries of another one, on $database', async ({ open }) => {
  const { one, other, verify, identities } = await openWriters(open);
  await one.write('a');
  await other.write('b');
  await one.write('c');
  await other.change('d');
  await one.write('e');
  expect(await identities()).toEqual(['a', 'b', 'c', 'd', 'e']);
  expect(await verify()).toMatchObject({ entries: 5, findings: [] });
});

it.each(databases)(
  'the end of an API session has one entry, whoever writes it and how often, on $database',
  async ({ open }) => {
    const { one, other, verify, entities: database } = await openWriters(open);
    await Promise.all([one.expire(['a', 'b', 'c']), other.expire(['c', 'b', 'd']), one.write('x'), other.write('y')]);
    await one.expire(['d', 'e']);
    await other.expire(['a', 'b', 'c', 'd', 'e']);
    const rows = await database.db
      .selectFrom('auditLog')
      .select('entityId')
      .where('event', '=', 'apiSession.ended')
      .execute();
    expect(rows.map(({ entityId }) => entityId).toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect([...one.emitted, ...other.emitted].toSorted()).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(await verify()).toMatchObject({ entries: 7, findings: [] });
  },
);

it.each(databases)('no entry stands behind one that was rolled back, on $database', async ({ open }) => {
  const { one, verify, identities } = await openWriters(open);
  await one.write('a');
  await (await one.hold('undone')).rollBack();
  await one.write('b');
  const held = await one.hold('also undone');
  const waiting = one.write('c');
  await held.rollBack();
  await waiting;
  expect(await identities()).toEqual(['a', 'b', 'c']);
  expect(await verify()).toMatchObject({ entries: 3, findings: [] });
});

it.each(databases)('an entry waits for the transaction before it, on $database', async ({ open }) => {
  const { one, verify, identities } = await openWriters(open);
  await one.write('a');
  const held = await one.hold('b');
  const waiting = one.write('c');
  await Promise.all([...held.commit(), waiting]);
  expect(await identities()).toEqual(['a', 'b', 'c']);
  expect(await verify()).toMatchObject({ entries: 3, findings: [] });
});

it.each(databases)('another controller may remove old entries meanwhile, on $database', async ({ open }) => {
  const { one, other, pass, verify, identities } = await openWriters(open);
  await one.write('a');
  await one.write('b');
  await pass(3_600_000);
  await other.shorten(60_000);
  await one.write('c');
  expect(await identities()).toEqual([null, 'c']);
  expect(await verify()).toMatchObject({ first: 3, last: 4, entries: 2, findings: [] });
});

it.each(databases)('a log that was put back goes on where it ends, on $database', async ({ open }) => {
  const { one, other, verify, identities } = await openWriters(open);
  await one.write('a');
  const { db } = other.entities;
  const head = await db.selectFrom('auditHead').selectAll().executeTakeFirstOrThrow();
  await one.write('b');
  await db.deleteFrom('auditLog').where('sequence', '>', head.sequence).execute();
  await db.updateTable('auditHead').set(head).execute();
  await one.write('c');
  expect(await identities()).toEqual(['a', 'c']);
  expect(await verify()).toMatchObject({ entries: 2, findings: [] });
});

it('a controller that writes alone needs one statement for the entries that wait, on PostgreSQL', async () => {
  const { one, other, verify } = await openWriters(databases[1]!.open);
  await one.write('a');
  one.takeStatements();
  await Promise.all(['b', 'c', 'd'].map(one.write));
  const [statement, ...more] = one.takeStatements();
  expect([statement?.includes('"auditHead"') && statement.includes('"auditLog"'), more]).toEqual([true, []]);
  await one.change('e');
  one.takeStatements();
  await one.write('f');
  expect(one.takeStatements()).toEqual([statement]);
  await other.write('g');
  await one.write('h');
  expect(one.takeStatements()).toEqual([
    statement,
    'begin',
    expect.stringContaining('for update'),
    statement,
    'commit',
  ]);
  expect(await verify()).toMatchObject({ entries: 8, findings: [] });
});
