import { auditPushKey } from '../storage/entity-store/audit-push-lag.ts';
import type { EntityStore } from '../storage/entity-store/entity-store.ts';

const key = auditPushKey;

/** Through which entry the log was pushed, and which controller pushes it. */
export interface PushPosition {
  readonly sequence: number;
  /** Empty: nobody. */
  readonly holder: string;
  /** Milliseconds since 1970. After that, another controller may push. */
  readonly until: number;
}

type Db = Pick<EntityStore, 'db'>['db'];

/** `null`: nothing was pushed yet. */
export async function readPushPosition(db: Db): Promise<PushPosition | null> {
  const row = await db.selectFrom('meta').select('value').where('key', '=', key).executeTakeFirst();
  return row ? JSON.parse(row.value) : null;
}

/** Replaces the position if it is still `before`. Returns whether it was. */
export async function movePushPosition(db: Db, before: PushPosition | null, after: PushPosition): Promise<boolean> {
  const value = textOf(after);
  if (before === null) {
    const insert = db.insertInto('meta').values({ key, value });
    const { numInsertedOrUpdatedRows = 0n } = await insert.onConflict((row) => row.doNothing()).executeTakeFirst();
    return numInsertedOrUpdatedRows > 0n;
  }
  const update = db.updateTable('meta').set({ value }).where('key', '=', key).where('value', '=', textOf(before));
  return (await update.executeTakeFirst()).numUpdatedRows > 0n;
}

const textOf = ({ sequence, holder, until }: PushPosition) => JSON.stringify({ sequence, holder, until });
