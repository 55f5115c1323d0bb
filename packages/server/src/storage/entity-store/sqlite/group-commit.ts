import { setImmediate } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import { mapError, mapErrors } from '../../database/sqlite/errors.ts';
import { storeUnavailable } from '../../database/unavailable.ts';

/** Milliseconds after which a group takes no further change, so that the first one does not wait for long. */
const maxGroupTime = 10;
/** Milliseconds that a change waits for another process that writes, and between two tries. */
const busyTimeout = 2_000;
const busyRetry = 5;

/** A running change. It alone may write until it is committed or rolled back. */
export interface GroupedChange {
  /** Runs statements. Throws when the change has ended, because it took too long or because SQLite ended it. */
  run<T>(work: () => T): T;
  /** Resolves when the change is on the disk. */
  commit(): Promise<void>;
  /** Undoes this change and no other one. Resolves when everything that it has read is on the disk. */
  rollback(): Promise<void>;
}

/** The changes of one SQLite transaction. */
interface Group {
  readonly startedAt: number;
  readonly written: PromiseWithResolvers<void>;
}

/** The savepoint of a change. */
interface Savepoint {
  /** False when SQLite has rolled back the transaction. */
  isOpen(): boolean;
  release(): void;
  undo(): void;
  /** Resolves when the group is on the disk. */
  readonly written: Promise<void>;
}

export interface GroupCommitOptions {
  /** Milliseconds after which a change is rolled back, so that one that never ends does not stop others. */
  readonly maxChangeTime: number;
  /** Brings everything that is committed to the disk. */
  readonly flush: () => Promise<void>;
}

/**
 * Lets changes that come at about the same time share one flush to the disk. A group of changes is one SQLite
 * transaction, and each change is a savepoint in it. The changes run one after the other. The group is committed when no
 * change waits at the end of an event-loop turn. The callers get the results when it is on the disk; the next group need not
 * wait for that. Also a failed change waits for it, because it may have failed on what an earlier change of its group wrote.
 */
export class GroupCommit {
  readonly #database: Database.Database;
  readonly #statements: ReturnType<typeof prepare>;
  readonly #options: GroupCommitOptions;
  readonly #waiting: (() => void)[] = [];
  #isTaken = false;
  #group: Group | null = null;
  /** The group that was committed last. */
  #written: Promise<void> = Promise.resolve();
  /** Why a commit did not reach the disk. Nothing that follows it in the log can be read after a power failure. */
  #lost: unknown = null;

  constructor(database: Database.Database, options: GroupCommitOptions) {
    // A wait inside SQLite would block the event loop, so `#openGroup` waits.
    database.pragma('busy_timeout = 0');
    this.#database = database;
    this.#statements = prepare(database);
    this.#options = options;
  }

  /** Starts a change when it is its turn. */
  async begin(): Promise<GroupedChange> {
    const giveUpAt = performance.now() + busyTimeout;
    await this.#takeTurn();
    try {
      const group = this.#group ?? (await this.#openGroup(giveUpAt));
      this.#group = group;
      mapErrors(() => this.#statements.savepoint.run());
      return new RunningChange(this.#savepointIn(group), this.#options.maxChangeTime);
    } catch (error) {
      this.#passTurn();
      throw error;
    }
  }

  /** Waits until all changes are on the disk. No change can begin afterwards. */
  async close(): Promise<void> {
    await this.#takeTurn();
    if (this.#group) this.#commit(this.#group);
    await this.#written;
  }

  async #takeTurn(): Promise<void> {
    if (this.#isTaken) await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#isTaken = true;
  }

  #passTurn(): void {
    if (this.#group && performance.now() - this.#group.startedAt > maxGroupTime) this.#commit(this.#group);
    const next = this.#waiting.shift();
    if (next) {
      next();
      return;
    }
    this.#isTaken = false;
    const group = this.#group;
    if (group) setImmediate(() => !this.#isTaken && this.#group === group && this.#commit(group));
  }

  async #openGroup(giveUpAt: number): Promise<Group> {
    if (this.#lost !== null) throw storeUnavailable(this.#lost);
    if (this.#database.inTransaction) mapErrors(() => this.#statements.rollback.run());
    while (!tryToBegin(this.#statements.begin, giveUpAt)) await sleep(busyRetry);
    const opened = { startedAt: performance.now(), written: Promise.withResolvers<void>() };
    // A change may be ended by its time limit while nobody waits for the group.
    opened.written.promise.catch(() => undefined);
    return opened;
  }

  #commit(group: Group): void {
    try {
      this.#statements.commit.run();
    } catch (error) {
      this.#fail(group, error);
      return;
    }
    this.#group = null;
    this.#written = this.#flush(group);
  }

  async #flush({ written }: Group): Promise<void> {
    try {
      await this.#options.flush();
      written.resolve();
    } catch (error) {
      this.#lost = error;
      written.reject(storeUnavailable(error));
    }
  }

  #fail(group: Group, error: unknown): void {
    this.#group = null;
    group.written.reject(storeUnavailable(error));
    try {
      // SQLite may have rolled back already, for example on a full disk.
      if (this.#database.inTransaction) this.#statements.rollback.run();
    } catch {
      // The next group tries again before it begins.
    }
  }

  #savepointIn(group: Group): Savepoint {
    const { undo, release } = this.#statements;
    return {
      isOpen: () => this.#database.inTransaction,
      release: () => this.#endChange(group, [release]),
      undo: () => this.#endChange(group, [undo, release]),
      written: group.written.promise,
    };
  }

  /** Runs statements that must not fail. When they do, the state of all changes is unknown. */
  #endChange(group: Group, statements: readonly Database.Statement[]): void {
    try {
      if (!this.#database.inTransaction) throw new Error('SQLite has rolled back the transaction');
      for (const statement of statements) statement.run();
    } catch (error) {
      this.#fail(group, error);
    }
    this.#passTurn();
  }
}

class RunningChange implements GroupedChange {
  readonly #savepoint: Savepoint;
  readonly #maxTime: number;
  readonly #limit: NodeJS.Timeout;
  #hasEnded = false;

  constructor(savepoint: Savepoint, maxTime: number) {
    this.#savepoint = savepoint;
    this.#maxTime = maxTime;
    this.#limit = setTimeout(() => {
      this.#hasEnded = true;
      savepoint.undo();
    }, maxTime);
  }

  run<T>(work: () => T): T {
    if (this.#hasEnded || !this.#savepoint.isOpen()) throw storeUnavailable(new Error('the change has ended'));
    return mapErrors(work);
  }

  async commit(): Promise<void> {
    if (this.#hasEnded) throw storeUnavailable(new Error(`the change took longer than ${this.#maxTime} ms`));
    this.#end();
    this.#savepoint.release();
    await this.#savepoint.written;
  }

  async rollback(): Promise<void> {
    if (this.#hasEnded) return;
    this.#end();
    this.#savepoint.undo();
    await this.#savepoint.written;
  }

  #end(): void {
    this.#hasEnded = true;
    clearTimeout(this.#limit);
  }
}

function prepare(database: Database.Database) {
  return {
    begin: database.prepare('begin immediate'),
    commit: database.prepare('commit'),
    rollback: database.prepare('rollback'),
    savepoint: database.prepare('savepoint change'),
    undo: database.prepare('rollback to change'),
    release: database.prepare('release change'),
  };
}

/** False while another process writes. Throws when that takes too long. */
function tryToBegin(begin: Database.Statement, giveUpAt: number): boolean {
  try {
    begin.run();
    return true;
  } catch (error) {
    const mapped = mapError(error);
    if (mapped === error || performance.now() > giveUpAt) throw mapped;
    return false;
  }
}
