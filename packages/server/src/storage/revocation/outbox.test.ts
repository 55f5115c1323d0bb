import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { migratedDatabase } from '../../../test/support/migrated-database.ts';
import { systemClock } from '../../core/time/clock.ts';
import { openPostgresEntityStore } from '../entity-store/postgres/entity-store.ts';
import { openSqliteEntityStore } from '../entity-store/sqlite/entity-store.ts';
import type { ApiSessionRecord } from '../session-store/session-store.ts';
import { openSqliteSessionStore } from '../session-store/sqlite/session-store.ts';
import { createOutbox } from './outbox.ts';

function freshDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), 'edge-outbox-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return dir;
}

const databases = [
  { name: 'SQLite', open: () => openSqliteEntityStore({ file: join(freshDirectory(), 'entities.db') }) },
  { name: 'PostgreSQL', open: async () => openPostgresEntityStore({ url: await migratedDatabase() }) },
];

const record: ApiSessionRecord = {
  ...{ id: 'c1', tokenHash: 'h', sealedToken: 's', identityId: 'i', authenticatorId: 'a', credentialVersion: 0 },
  ...{ method: 'password', ipAddress: '::1', configTypes: [], createdAt: 1, updatedAt: 1 },
  ...{
    isMfaRequired: false,
    isMfaComplete: false,
    mfaId: null,
    mfaPassedAt: null,
    usesRouters: false,
    tokenReadBy: null,
    endsAt: null,
    isCertExtendable: false,
  },
  ...{ caId: null, caVersion: 0, signerId: null, signerVersion: 0, improperClientCertChain: false },
};

describe.each(databases)('the outbox on $name', ({ open }) => {
  it('applies the effects of committed changes to the sessions, and keeps them while that fails', async () => {
    const database = await open();
    const file = join(freshDirectory(), 'sessions.db');
    const sessions = await openSqliteSessionStore({ file, timeout: 60_000, clock: systemClock });
    let isUnreachable = true;
    const outbox = createOutbox({
      database,
      sessions: {
        list: (query) => sessions.list(query),
        remove: (session) => sessions.remove(session),
        bumpVersion: () => sessions.bumpVersion(),
        bumpRightsVersion: () => sessions.bumpRightsVersion(),
        async removeByIdentity(id) {
          if (isUnreachable) throw new Error('unreachable');
          return sessions.removeByIdentity(id);
        },
      },
      clock: systemClock,
      endLostSessions: async () => undefined,
      endSignedOut: async () => undefined,
    });
    await sessions.create(record);
    const { version } = await sessions.touch('h');
    await database.transaction((tx) => outbox.add(tx, { kind: 'endSessions', identityId: 'i' }));
    await expect(outbox.drain()).rejects.toThrow('unreachable');
    expect(await sessions.find('c1')).not.toBeNull();
    isUnreachable = false;
    const drained = Array.from({ length: 30 }, async (_, at) => {
      await sessions.create({ ...record, id: `d${at}`, tokenHash: `d${at}`, identityId: `i${at}` });
      await database.transaction((tx) => outbox.add(tx, { kind: 'endSessions', identityId: `i${at}` }));
      await outbox.drain();
      return sessions.find(`d${at}`);
    });
    expect(new Set(await Promise.all(drained))).toEqual(new Set([null]));
    await outbox.drain();
    expect(await sessions.find('c1')).toBeNull();
    expect((await sessions.touch('h')).version).not.toBe(version);
    expect(await database.db.selectFrom('outbox').selectAll().execute()).toEqual([]);
    await sessions.close();
    await database.close();
  });
});
