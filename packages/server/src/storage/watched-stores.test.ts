import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { systemClock } from '../core/time/clock.ts';
import { WorkMetrics } from '../operate/metrics/work-metrics.ts';
import { describeSessionStore } from './session-store/session-store.contract.ts';
import { openSqliteSessionStore } from './session-store/sqlite/session-store.ts';
import { watchSessions } from './watched-stores.ts';

async function openWatched(timeout: number) {
  const dir = mkdtempSync(join(tmpdir(), 'edge-sessions-'));
  const registry = new Registry();
  const opened = await openSqliteSessionStore({ file: join(dir, 'sessions.db'), timeout, clock: systemClock });
  return {
    registry,
    store: watchSessions(opened, 'sqlite', new WorkMetrics(registry)),
    async [Symbol.asyncDispose]() {
      await opened.close();
      rmSync(dir, { recursive: true });
    },
  };
}

describeSessionStore('measured SQLite', openWatched);

it('an operation that fails is counted with its time, and its error is the same', async () => {
  const watched = await openWatched(1_000);
  await watched[Symbol.asyncDispose]();
  await expect(watched.store.touch('h')).rejects.toThrow();
  const labels = 'store="sessions",system="sqlite",operation="touch"';
  expect(await watched.registry.metrics()).toContain(`edge_store_errors_total{${labels}} 1`);
  expect(await watched.registry.metrics()).toContain(`edge_store_operation_duration_seconds_count{${labels}} 1`);
});
