import type { Kysely, Transaction } from 'kysely';
import { sql } from 'kysely';
import { runCompiled } from '../storage/database/sql/run-compiled.ts';
import { storeUnavailable } from '../storage/database/unavailable.ts';
import type { EntityStore, Tables } from '../storage/entity-store/entity-store.ts';
import type { NewEntry, StoredEntry } from './entry.ts';
import { chain, hashedColumns } from './entry.ts';

const columns = [...hashedColumns, 'hash'] as const;
const columnList = sql.join(columns.map((column) => sql.ref(column)));

/** Rows of one statement on SQLite. Each number of rows has a text of its own. */
const maxRows = 16;

type Head = Pick<StoredEntry, 'sequence' | 'hash'>;

/** Adds entries at the end of the chain. */
export class EntryWriter {
  readonly #database: Pick<EntityStore, 'db' | 'dialect' | 'sql' | 'transaction'>;
  /** Where this controller left the log. Others may have added entries since, or its transaction was rolled back. `null`: not known. */
  #lastHead: Head | null = null;

  constructor(database: Pick<EntityStore, 'db' | 'dialect' | 'sql' | 'transaction'>) {
    this.#database = database;
  }

  /**
   * Adds entries in a transaction. They must be its last statements: from here on it has a lock that everybody needs who adds
   * entries, and who has it must wait for nobody.
   */
  async append(tx: Transaction<Tables>, entries: readonly NewEntry[]): Promise<void> {
    if (await this.#addBehindLast(tx, entries)) return;
    const isAdded = await this.#addBehind(tx, await this.#lockHead(tx), entries);
    if (!isAdded) throw storeUnavailable(new Error('somebody moved the head of the audit log without its lock'));
  }

  /** Takes the lock of `append`. Until the transaction ends, the log has only what it has now and what the transaction adds. */
  async lock(tx: Transaction<Tables>): Promise<void> {
    this.#lastHead = await this.#lockHead(tx);
  }

  /** Adds entries in a transaction of their own. On PostgreSQL it is one statement, as long as no other controller adds any. */
  async write(entries: readonly NewEntry[]): Promise<void> {
    const { db, dialect } = this.#database;
    if (dialect === 'postgres' && (await this.#addBehindLast(db, entries))) return;
    await this.#database.transaction((tx) => this.append(tx, entries));
  }

  /** Adds entries if the log ends where this controller expects, and returns whether it does. That saves a statement. */
  async #addBehindLast(db: Kysely<Tables>, entries: readonly NewEntry[]): Promise<boolean> {
    const head = this.#lastHead;
    // Nobody else may expect the same end meanwhile.
    this.#lastHead = null;
    return head !== null && (await this.#addBehind(db, head, entries));
  }

  async #lockHead(tx: Transaction<Tables>): Promise<Head> {
    const {
      dialect,
      sql: { forUpdate },
    } = this.#database;
    const { rows } = await runCompiled<Head>(tx, `${dialect} audit head`, {
      compile: () => sql<Head>`select "sequence", "hash" from "auditHead" where "id" = 1 ${forUpdate}`.compile(tx),
      parameters: [],
      isPrepared: true,
    });
    if (!rows[0]) throw storeUnavailable(new Error('the audit log has no head: restore the database'));
    return rows[0];
  }

  /** Adds entries if the log ends with `head`. Returns whether it does. */
  async #addBehind(db: Kysely<Tables>, head: Head, entries: readonly NewEntry[]): Promise<boolean> {
    const placed = chain(head, entries);
    const last = placed.at(-1) ?? head;
    const add = this.#database.dialect === 'postgres' ? addInOneStatement : addInTurn;
    const isAdded = await add(db, { head, last, placed });
    if (isAdded) this.#lastHead = { sequence: last.sequence, hash: last.hash };
    return isAdded;
  }
}

interface Addition {
  readonly head: Head;
  /** The head afterwards. */
  readonly last: Head;
  readonly placed: readonly StoredEntry[];
}

/** The statement waits for a transaction that has the lock, and then sees what that one has committed. */
async function addInOneStatement(db: Kysely<Tables>, { head, last, placed }: Addition): Promise<boolean> {
  const { numAffectedRows } = await runCompiled(db, 'postgres audit entries', {
    compile: () =>
      sql`with "moved" as (${moveHead} returning 1)
        insert into "auditLog" (${columnList})
        select ${columnList} from "moved", json_populate_recordset(null::"auditLog", ${''}::json)`.compile(db),
    parameters: [last.sequence, last.hash, head.sequence, head.hash, JSON.stringify(placed)],
    isPrepared: true,
  });
  return Number(numAffectedRows) === placed.length;
}

async function addInTurn(tx: Kysely<Tables>, { head, last, placed }: Addition): Promise<boolean> {
  const { numAffectedRows } = await runCompiled(tx, 'sqlite audit head moves', {
    compile: () => moveHead.compile(tx),
    parameters: [last.sequence, last.hash, head.sequence, head.hash],
  });
  if (Number(numAffectedRows) === 0) return false;
  for (let at = 0; at < placed.length; at += maxRows) await addRows(tx, placed.slice(at, at + maxRows));
  return true;
}

// Rows from `json_each` take twice the time.
async function addRows(tx: Kysely<Tables>, placed: readonly StoredEntry[]): Promise<void> {
  await runCompiled(tx, `sqlite audit entries ${placed.length}`, {
    compile: () => {
      const row = sql`(${sql.join(columns.map(() => sql`${''}`))})`;
      return sql`insert into "auditLog" (${columnList}) values ${sql.join(placed.map(() => row))}`.compile(tx);
    },
    parameters: placed.flatMap((entry) => columns.map((column) => entry[column])),
  });
}

const moveHead = sql`update "auditHead" set "sequence" = ${0}, "hash" = ${''}
  where "id" = 1 and "sequence" = ${0} and "hash" = ${''}`;
