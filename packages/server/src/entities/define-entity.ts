import type { Kysely, Transaction } from 'kysely';
import { invalidField, notFound } from '../api-error.ts';
import type { Call } from '../call.ts';
import { isoTime } from '../lib/clock.ts';
import { shortId } from '../lib/ids.ts';
import type { BaseRow, EntityTable, Tables } from '../stores/entity-store.ts';
import { mapPage } from '../stores/map-page.ts';
import type { Effect } from '../stores/outbox.ts';
import type { FilterFields, Query } from '../stores/page.ts';

type Row<T extends EntityTable> = Tables[T];
type OwnColumns<T extends EntityTable> = Omit<Row<T>, keyof BaseRow>;
type TagsInput = { tags?: Record<string, unknown> | null | undefined };

/** The filter fields that every entity has. */
export const baseFields = {
  id: { column: 'id', type: 'string' },
  createdAt: { column: 'createdAt', type: 'datetime' },
  updatedAt: { column: 'updatedAt', type: 'datetime' },
  tags: { column: 'tags', type: 'tags' },
  isSystem: { column: null, type: 'boolean' },
} as const satisfies FilterFields;

/** The definition of an entity, as far as reading needs it. */
export interface Readable<T extends EntityTable, Detail> {
  readonly table: T;
  /** Singular noun for `cause` messages: `identity`. */
  readonly noun: string;
  readonly fields: FilterFields;
  /** Converts rows to API objects, many at once, so that a page needs a fixed number of queries. */
  readonly details: (call: Call, rows: readonly Row<T>[]) => Promise<readonly Detail[]>;
}

/** The definition of an entity for reading and writing. Every function runs inside the transaction of the change. */
export interface Writable<T extends EntityTable, Detail, C, U, P> extends Readable<T, Detail> {
  /** Returns the columns of a new row. Throws when the body is invalid. */
  readonly create: (change: Change, body: C, id: string) => Promise<OwnColumns<T>>;
  /** Returns the columns that PUT replaces. */
  readonly update: (change: Change, body: U, row: Row<T>) => Promise<Partial<OwnColumns<T>>>;
  /** Returns the columns that PATCH replaces. Absent members and null change nothing. */
  readonly patch: (change: Change, body: P, row: Row<T>) => Promise<Partial<OwnColumns<T>>>;
  /** Writes related rows of a new row. */
  readonly created?: (change: Change, body: C, row: Row<T>) => Promise<void>;
  /** Throws when the row must not be deleted. */
  readonly beforeDelete?: (change: Change, row: Row<T>) => Promise<void>;
  /** The effects of a change on the session store. */
  readonly effects?: { changed: (row: Row<T>) => Effect; deleted: (row: Row<T>) => Effect };
  /** The message when the value of a unique column is taken. */
  readonly taken?: (column: string, value: string) => string;
}

/** A change of an entity: the call and its transaction. */
export interface Change {
  readonly call: Call;
  readonly tx: Transaction<Tables>;
}

/** Creates the handlers `list` and `get` of an entity. */
export function readableEntity<T extends EntityTable, Detail>(entity: Readable<T, Detail>) {
  const { table, noun, fields, details } = entity;
  return {
    async list(call: Call, { query }: { query: Query }) {
      const page = await call.entities.list({ table, fields, query });
      return mapPage(page, (rows) => details(call, rows));
    },
    async get(call: Call, { params: { id } }: { params: { id: string } }) {
      const row = await readRow(call.entities.db, table, id);
      const [detail] = row ? await details(call, [row]) : [];
      if (detail === undefined) throw notFound(noun, id);
      return detail;
    },
  };
}

/** Creates all handlers of an entity: `list`, `get`, `create`, `update`, `patch`, `delete`. */
export function defineEntity<
  T extends EntityTable,
  Detail,
  C extends TagsInput,
  U extends TagsInput,
  P extends TagsInput,
>(entity: Writable<T, Detail, C, U, P>) {
  const { table, noun, effects } = entity;

  const write = async <R>(call: Call, body: object, work: (change: Change) => Promise<R>): Promise<R> => {
    return call.entities
      .transaction((tx) => work({ call, tx }))
      .catch((error: unknown) => {
        const column = call.entities.violatedUnique(error);
        if (column === null) throw error;
        const value = String((body as Record<string, unknown>)[column] ?? '');
        throw invalidField(column, entity.taken?.(column, value) ?? `${column} must be unique`, value);
      });
  };

  /**
   * The response waits for the session store. If it cannot be reached, the response is 503 and the outbox tries again.
   */
  const applyEffects = async (call: Call): Promise<void> => {
    if (effects) await call.outbox.drain();
  };

  const replace = async ({ call, tx }: Change, row: Row<T>, columns: Partial<Row<T>>) => {
    const updated = { ...row, ...columns, updatedAt: isoTime(call.clock()) };
    await rows(tx).updateTable(named(table)).set(updated).where('id', '=', row.id).execute();
    if (effects) await call.outbox.add(tx, effects.changed(updated));
  };

  return {
    ...readableEntity(entity),

    create: (call: Call, { body }: { body: C }) =>
      write(call, body, async (change) => {
        const id = shortId();
        const now = isoTime(call.clock());
        const base: BaseRow = { id, createdAt: now, updatedAt: now, tags: tagsColumn(body) ?? '{}' };
        const row = { ...(await entity.create(change, body, id)), ...base } as Row<T>;
        await rows(change.tx).insertInto(named(table)).values(row).execute();
        await entity.created?.(change, body, row);
        return { id };
      }),

    update: (call: Call, { params: { id }, body }: { params: { id: string }; body: U }) =>
      write(call, body, async (change) => {
        const row = await lockRow(change, table, noun, id);
        const columns = { ...(await entity.update(change, body, row)), tags: tagsColumn(body) ?? '{}' };
        await replace(change, row, columns as unknown as Partial<Row<T>>);
      }).then(() => applyEffects(call)),

    patch: (call: Call, { params: { id }, body }: { params: { id: string }; body: P }) =>
      write(call, body, async (change) => {
        const row = await lockRow(change, table, noun, id);
        const tags = patchedTagsColumn(body);
        const columns = { ...(await entity.patch(change, body, row)), ...(tags === null ? {} : { tags }) };
        await replace(change, row, columns as unknown as Partial<Row<T>>);
      }).then(() => applyEffects(call)),

    delete: (call: Call, { params: { id } }: { params: { id: string } }) =>
      write(call, {}, async (change) => {
        const row = await lockRow(change, table, noun, id);
        await entity.beforeDelete?.(change, row);
        await rows(change.tx).deleteFrom(named(table)).where('id', '=', id).execute();
        if (effects) await call.outbox.add(change.tx, effects.deleted(row));
      }).then(() => applyEffects(call)),
  };
}

/** Reads and locks a row for a change. Concurrent changes of the same row wait. */
export async function lockRow<T extends EntityTable>(
  { call, tx }: Change,
  table: T,
  noun: string,
  id: string,
): Promise<Row<T>> {
  const query = rows(tx).selectFrom(named(table)).selectAll().where('id', '=', id);
  // SQLite has one writer, so its transaction already has the lock.
  const row = await (call.entities.dialect === 'postgres' ? query.forUpdate() : query).executeTakeFirst();
  if (!row) throw notFound(noun, id);
  return row as unknown as Row<T>;
}

export async function readRow<T extends EntityTable>(
  db: Kysely<Tables>,
  table: T,
  id: string,
): Promise<Row<T> | undefined> {
  const row = await rows(db).selectFrom(named(table)).selectAll().where('id', '=', id).executeTakeFirst();
  return row as unknown as Row<T> | undefined;
}

/** Types the connection as one table with the base columns only, because TypeScript cannot resolve `T` here. */
function rows(db: Kysely<Tables>): Kysely<{ entity: BaseRow }> {
  return db as unknown as Kysely<{ entity: BaseRow }>;
}

function named(table: EntityTable): 'entity' {
  return table as string as 'entity';
}

/** Returns the `tags` column, or `null` when the body has no tags. */
export function tagsColumn({ tags }: TagsInput): string | null {
  if (tags === null || tags === undefined) return null;
  for (const [key, value] of Object.entries(tags)) {
    if (value !== null && typeof value === 'object') {
      throw invalidField(`tags.${key}`, 'a tag is a string, a number, a boolean or null');
    }
  }
  return JSON.stringify(tags);
}

/** The same for PATCH, where tags that are all null count as absent. */
export function patchedTagsColumn(body: TagsInput): string | null {
  const values = Object.values(body.tags ?? {});
  const isSent = values.length === 0 || values.some((value) => value !== null);
  return isSent ? tagsColumn(body) : null;
}
