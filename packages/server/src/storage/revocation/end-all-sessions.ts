import { sql } from 'kysely';
import { isoTime } from '../../core/time/clock.ts';
import type { EntityStore } from '../entity-store/entity-store.ts';
import type { Effect } from './effect.ts';

/** 2020-01-01. The seconds since then fit into a version until 2088. */
const epoch = Date.UTC(2020, 0, 1);

const effects: readonly Effect[] = [{ kind: 'changed' }, { kind: 'rights', scope: 'all' }];

/**
 * Ends all API sessions for good, in a database whose state is an older one: versions of credentials that were raised since then
 * are forgotten. So each gets a version that none can have had, the time. A credential is raised less than once a second.
 *
 * @param now milliseconds since 1970
 */
export async function endAllSessions(database: EntityStore, now: number): Promise<void> {
  const seconds = Math.floor((now - epoch) / 1_000);
  await database.transaction(async (tx) => {
    await tx
      .updateTable('credentials')
      .set({
        version: sql<number>`case when "version" < ${seconds} then ${seconds} else "version" + 1 end`,
        keptSessionId: null,
      })
      .execute();
    const createdAt = isoTime(now);
    await tx
      .insertInto('outbox')
      .values(effects.map((effect) => ({ effect: JSON.stringify(effect), createdAt })))
      .execute();
  });
}
