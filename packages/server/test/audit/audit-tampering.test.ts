import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Transaction } from 'kysely';
import { expect, inject, it } from 'vitest';
import { AuditLog } from '../../src/audit/audit-log.ts';
import { createCheckpointSigner } from '../../src/audit/checkpoint-signer.ts';
import { Checkpoints, readCheckpointFile } from '../../src/audit/checkpoints.ts';
import type { LogFinding } from '../../src/audit/verify-log.ts';
import { verifyLog } from '../../src/audit/verify-log.ts';
import { createEventBus } from '../../src/core/events/bus.ts';
import { createLogger } from '../../src/core/log/create-logger.ts';
import { systemClock } from '../../src/core/time/clock.ts';
import { openPki } from '../../src/pki/pki.ts';
import type { EntityStore, Tables } from '../../src/storage/entity-store/entity-store.ts';
import { openPostgresEntityStore } from '../../src/storage/entity-store/postgres/entity-store.ts';
import { openSqliteEntityStore } from '../../src/storage/entity-store/sqlite/entity-store.ts';
import { freshDatabase } from '../support/postgres.ts';
import { tampers } from '../support/tampering.ts';

/** `npm run tamper -- 1000` makes more, in a log of 10,000 entries. */
const changes = Number(process.env.EDGE_TEST_TAMPERS ?? 60);
const length = Number(process.env.EDGE_TEST_ENTRIES ?? 600);

const databases = [
  { database: 'SQLite', open: async (dir: string) => () => openSqliteEntityStore({ file: join(dir, 'entities.db') }) },
  {
    database: 'PostgreSQL',
    async open() {
      const url = await freshDatabase(inject('postgresUrl'));
      return () => openPostgresEntityStore({ url });
    },
  },
];

/** Two controllers write the log, in transactions of changes and by themselves. The first one signs it, now and then. */
async function writeLog(stores: readonly [EntityStore, EntityStore], checkpoints: Checkpoints): Promise<void> {
  const events = createEventBus(() => undefined);
  const logs = stores.map((database) => ({
    entities: database,
    audit: new AuditLog({ database, events, clock: systemClock, isEnabled: true }),
  }));
  const payload = { method: 'password', reason: 'wrong password', ipAddress: '::1' } as const;
  for (let written = 0; written < length; ) {
    const count = Math.min(100, length - written);
    const writes = Array.from({ length: count }, (_, at) => {
      const { audit, entities: database } = logs[at % 2] ?? logs[0]!;
      const actor = { clientAddress: `10.0.${written / 100}.${at}`, requestId: () => `request ${written + at}` };
      // Each by somebody else and from elsewhere: equal ones, and many of one address, would share an entry.
      const identityId = `user ${written + at}`;
      const failed = { ...payload, identityId };
      if (at % 3 > 0) return audit.publish(actor, 'authentication.failed', failed);
      return database.transaction((tx) => audit.append(tx, actor, [{ name: 'mfa.enrolled', payload: { identityId } }]));
    });
    await Promise.all(writes);
    written += count;
    await checkpoints.sign();
  }
}

/** Undoes the change. */
class Undone extends Error {}

async function tamperedWith(
  database: EntityStore,
  work: (tx: Transaction<Tables>) => Promise<readonly LogFinding[]>,
): Promise<readonly LogFinding[]> {
  let findings: readonly LogFinding[] = [];
  const changed = database.transaction(async (tx) => {
    findings = await work(tx);
    throw new Undone();
  });
  await changed.catch((error: unknown) => {
    if (!(error instanceof Undone)) throw error;
  });
  return findings;
}

it.each(databases)(
  'every change of the log is found, on $database',
  { timeout: 60_000 + length * 50 + changes * 2_000 },
  async ({ open }) => {
    const dir = mkdtempSync(join(tmpdir(), 'edge-audit-'));
    const openStore = await open(dir);
    const stores = [await openStore(), await openStore()] as const;
    try {
      const [database] = stores;
      const signer = createCheckpointSigner(await openPki({ dir: join(dir, 'pki'), names: [], clock: systemClock }));
      const file = join(dir, 'audit', 'checkpoint.jws');
      const log = createLogger({ level: 'silent' });
      await writeLog(stores, new Checkpoints({ database, signer, clock: systemClock, log, file }));
      const own = readCheckpointFile(file);
      const intact = await verifyLog({ database, signer, own });
      expect(intact).toMatchObject({ entries: length, first: 1, last: length, findings: [], notes: [] });

      const kinds = Object.entries(tampers);
      const tampering = fc.record({ kind: fc.nat(), one: fc.nat(), other: fc.nat() });
      const check = fc.asyncProperty(tampering, async ({ kind, ...place }) => {
        const [name, tamper] = kinds[kind % kinds.length]!;
        let expected: number | null = null;
        const findings = await tamperedWith(database, async (tx) => {
          expected = await tamper({ db: tx, length }, place);
          return (await verifyLog({ database: { db: tx }, signer, own })).findings;
        });
        expect([name, findings.length > 0]).toEqual([name, true]);
        if (expected !== null) expect([name, findings[0]?.sequence]).toEqual([name, expected]);
      });
      await fc.assert(check, { numRuns: changes });
      expect((await verifyLog({ database, signer, own })).findings).toEqual([]);
    } finally {
      for (const store of stores) await store.close();
      rmSync(dir, { recursive: true });
    }
  },
);
