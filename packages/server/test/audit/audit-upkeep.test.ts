import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, inject, it, vi } from 'vitest';
import { AuditLog } from '../../src/audit/audit-log.ts';
import { createCheckpointSigner } from '../../src/audit/checkpoint-signer.ts';
import { Checkpoints, readCheckpointFile } from '../../src/audit/checkpoints.ts';
import { shortenLog } from '../../src/audit/shorten-log.ts';
import { verifyLog } from '../../src/audit/verify-log.ts';
import { createEventBus } from '../../src/core/events/bus.ts';
import { createLogger } from '../../src/core/log/create-logger.ts';
import { openPki } from '../../src/pki/pki.ts';
import { entityStores } from '../support/databases.ts';
import { testTime } from '../support/totp.ts';

const day = 24 * 3_600_000;

/** A log whose time a test moves. */
async function openLog(openStore: (typeof entityStores)[number]['openStore']) {
  const opened = await openStore(inject('postgresUrl'));
  const dir = mkdtempSync(join(tmpdir(), 'edge-audit-'));
  const { clock, pass } = testTime();
  const { store: database } = opened;
  const audit = new AuditLog({ database, events: createEventBus(() => undefined), clock, isEnabled: true });
  const pki = await openPki({ dir: join(dir, 'pki'), names: [], clock });
  const signer = createCheckpointSigner(pki);
  const file = join(dir, 'audit', 'checkpoint.jws');
  const log = createLogger({ level: 'silent' });
  const error = vi.spyOn(log, 'error');
  const openCheckpoints = () => new Checkpoints({ database, signer, clock, log, file });
  // Equal entries would be one.
  let written = 0;
  return {
    ...{ entities: database, clock, pass, file, error, openCheckpoints },
    async write(count: number) {
      const names = Array.from({ length: count }, (_, at) => `somebody ${written + at}`);
      written += count;
      await Promise.all(names.map((identityId) => audit.publish({}, 'mfa.enrolled', { identityId })));
    },
    shorten: (retention: number, maxSize = 2 ** 40) =>
      shortenLog({ database, audit, signer, clock, retention, maxSize }),
    verify: () => verifyLog({ database, signer, own: readCheckpointFile(file) }),
    async [Symbol.asyncDispose]() {
      error.mockRestore();
      await opened[Symbol.asyncDispose]();
      rmSync(dir, { recursive: true });
    },
  };
}

it.each(entityStores)(
  'old entries are removed, and the rest can still be verified, on $database',
  async ({ openStore }) => {
    await using log = await openLog(openStore);
    const checkpoints = log.openCheckpoints();
    await log.write(1_500);
    await checkpoints.sign();
    await log.pass(3 * day);
    await log.write(5);
    expect(await log.verify()).toMatchObject({ entries: 1_505, findings: [] });
    await log.shorten(4 * day);
    expect(await log.verify()).toMatchObject({ first: 1, entries: 1_505 });
    await log.shorten(2 * day);
    expect(await log.verify()).toMatchObject({ first: 1_501, last: 1_506, entries: 6, findings: [], notes: [] });
    await checkpoints.sign();
    expect(log.error).not.toHaveBeenCalled();
    await log.shorten(2 * day);
    expect(await log.verify()).toMatchObject({ last: 1_506, findings: [], checkpoints: 1 });
    await log.pass(10 * day);
    await log.shorten(2 * day);
    expect(await log.verify()).toMatchObject({ first: 1_507, last: 1_507, findings: [] });
  },
);

it.each(entityStores)(
  'the oldest entries are removed when the log is too large, and the rest can still be verified, on $database',
  async ({ openStore }) => {
    await using log = await openLog(openStore);
    const checkpoints = log.openCheckpoints();
    await log.write(2_500);
    await checkpoints.sign();
    // An entry without details takes about 700 bytes.
    await log.shorten(400 * day, 3_000 * 700);
    expect(await log.verify()).toMatchObject({ first: 1, entries: 2_500 });
    await log.shorten(400 * day, 1_000 * 702);
    expect(await log.verify()).toMatchObject({ first: 1_501, last: 2_501, findings: [], notes: [] });
    const last = await log.entities.db.selectFrom('auditLog').select('details').where('sequence', '=', 2_501).execute();
    expect(last).toEqual([{ details: JSON.stringify({ through: 1_500, by: 'size' }) }]);
    await checkpoints.sign();
    expect(log.error).not.toHaveBeenCalled();
  },
);

it.each(entityStores)(
  'an entry that a wrong clock has made old takes no newer ones along, on $database',
  async (database) => {
    await using log = await openLog(database.openStore);
    await log.write(2);
    await log.pass(-400 * day);
    await log.write(1);
    await log.pass(400 * day);
    await log.write(1);
    await log.shorten(100 * day);
    expect(await log.verify()).toMatchObject({ first: 1, entries: 4, findings: [] });
  },
);

it.each(entityStores)(
  'a controller signs no log that is not the one it has signed, on $database',
  async ({ openStore }) => {
    await using log = await openLog(openStore);
    const { entities: database, file } = log;
    await log.write(3);
    await log.openCheckpoints().sign();
    const signed = readFileSync(file, 'utf8');
    const { hash } = await database.db
      .selectFrom('auditLog')
      .select('hash')
      .where('sequence', '=', 2)
      .executeTakeFirstOrThrow();
    await database.db.deleteFrom('auditLog').where('sequence', '=', 3).execute();
    await database.db.updateTable('auditHead').set({ sequence: 2, hash }).execute();
    await log.write(5);
    const restarted = log.openCheckpoints();
    await restarted.sign();
    expect(log.error).toHaveBeenCalledWith(expect.objectContaining({ file }), expect.stringContaining('not the one'));
    expect(readFileSync(file, 'utf8')).toBe(signed);
    expect((await log.verify()).findings).toMatchObject([
      { sequence: 3, problem: expect.stringContaining('rewritten') },
    ]);
  },
);
