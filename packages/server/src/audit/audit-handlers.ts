import type { AuditEntryDetail, managementApi } from '@edge-controller/shared-types';
import type { HandlersWith } from '../core/call.ts';
import { mapPage } from '../core/filter/map-page.ts';
import type { EntityStore } from '../storage/entity-store/entity-store.ts';
import type { StoredEntry } from './entry.ts';
import { listEntries } from './list-entries.ts';

interface Dependencies {
  readonly database: EntityStore;
}

/** Handlers of `/audit-log`. */
export const auditLog: HandlersWith<typeof managementApi, Dependencies, unknown>['auditLog'] = {
  list: async ({ database }, { query }) =>
    mapPage(await listEntries(database, query), async (entries) => entries.map(detailOf)),

  checkpoints: async ({ database: { db } }) => ({
    batches: [
      await db.selectFrom('auditCheckpoints').selectAll().orderBy('sequence', 'desc').orderBy('kind').execute(),
    ],
  }),
};

function detailOf({ details, ...entry }: StoredEntry): AuditEntryDetail {
  return { ...entry, details: JSON.parse(details) };
}
