import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '../../lib/clock.ts';
import { describeSessionStore } from '../session-store.contract.ts';
import { openSqliteSessionStore } from './session-store.ts';

describeSessionStore('SQLite', async (timeout) => {
  const dir = mkdtempSync(join(tmpdir(), 'edge-sessions-'));
  const store = await openSqliteSessionStore({ file: join(dir, 'sessions.db'), timeout, clock: systemClock });
  return {
    store,
    async [Symbol.asyncDispose]() {
      await store.close();
      rmSync(dir, { recursive: true });
    },
  };
});

it('keeps sessions after a restart', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'edge-sessions-'));
  const options = { file: join(dir, 'sessions.db'), timeout: 60_000, clock: systemClock };
  const record = {
    ...{ id: 'c1', tokenHash: 'h', sealedToken: 's', identityId: 'i', authenticatorId: 'a', ipAddress: '::1' },
    ...{ configTypes: [], createdAt: 1, updatedAt: 1, isMfaRequired: false, isMfaComplete: false, mfaId: null },
    ...{ method: 'password' as const },
  };
  const before = await openSqliteSessionStore(options);
  await before.create(record);
  await before.close();
  const after = await openSqliteSessionStore(options);
  expect((await after.touch('h')).session).toMatchObject(record);
  await after.close();
  rmSync(dir, { recursive: true });
});
