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
export interface Change {
  /** Runs statements. Throws when the change has ended, because it took too long or because SQLite ended it. */
  run<T>(work: () => T): T;
  /** Resolves when the change is on the disk. */
  commit(): Promise<void>;
  /** Undoes this change and no other one. Resolves when everything that it has read is on the disk. */
  rollback(): Promise<void>;
}

export interface GroupCommit {
  /** Starts a change when it is its turn. */
  begin(): Promise<Change>;
  /** Waits for all changes. No change can begin afterwards. */
  close(): Promise<void>;
}

/** The changes of one SQLite transaction. */
interface Group {
  readonly startedAt: number;
  readonly written: PromiseWithResolvers<void>;
}

/**
 * Lets changes that come at about the same time share one flush to the disk. A group of changes is one SQLite
 * transaction, and each change is a savepoint in it. The changes run one after the other. The group is committed when no
 * change waits at the end of an event-loop turn. Only then the callers get the results. Also a failed change waits for
 * the commit, because it may have failed on what an earlier change of its group wrote.
 *
 * @param maxChangeTime milliseconds after which a change is rolled back, so that one that never ends does not stop others
 */
export function createGroupCommit(database: Database.Database, maxChangeTime: number): GroupCommit {
  // A wait inside SQLite would block the event loop, so `openGroup` waits.
  database.pragma('busy_timeout = 0');
  const begin = database.prepare('begin immediate');
  const commit = database.prepare('commit');
  const rollback = database.prepare('rollback');
  const savepoint = database.prepare('savepoint change');
  const undo = database.prepare('rollback to change');
  const release = database.prepare('release change');
  const waiting: (() => void)[] = [];
  let isTaken = false;
  let group: Group | null = null;

  const takeTurn = async () => {
    if (isTaken) await new Promise<void>((resolve) => waiting.push(resolve));
    isTaken = true;
  };

  const passTurn = () => {
    if (group && performance.now() - group.startedAt > maxGroupTime) commitGroup(group);
    const next = waiting.shift();
    if (next) return next();
    isTaken = false;
    const current = group;
    if (current) setImmediate(() => !isTaken && group === current && commitGroup(current));
  };

  const openGroup = async (giveUpAt: number): Promise<Group> => {
    if (database.inTransaction) mapErrors(() => rollback.run());
    while (!tryToBegin(begin, giveUpAt)) await sleep(busyRetry);
    const opened = { startedAt: performance.now(), written: Promise.withResolvers<void>() };
    // A change may be ended by its time limit while nobody waits for the group.
    opened.written.promise.catch(() => undefined);
    return opened;
  };

  const commitGroup = (current: Group) => {
    try {
      commit.run();
      group = null;
      current.written.resolve();
    } catch (error) {
      failGroup(current, error);
    }
  };

  const failGroup = (current: Group, error: unknown) => {
    group = null;
    current.written.reject(storeUnavailable(error));
    try {
      // SQLite may have rolled back already, for example on a full disk.
      if (database.inTransaction) rollback.run();
    } catch {
      // The next group tries again before it begins.
    }
  };

  /** Runs statements that must not fail. When they do, the state of all changes is unknown. */
  const endChange = (current: Group, work: () => void) => {
    try {
      if (!database.inTransaction) throw new Error('SQLite has rolled back the transaction');
      work();
    } catch (error) {
      failGroup(current, error);
    }
    passTurn();
  };
  const undoChange = () => {
    undo.run();
    release.run();
  };

  return {
    async begin() {
      const giveUpAt = performance.now() + busyTimeout;
      await takeTurn();
      let own: Group;
      try {
        group ??= await openGroup(giveUpAt);
        own = group;
        mapErrors(() => savepoint.run());
      } catch (error) {
        passTurn();
        throw error;
      }
      let hasEnded = false;
      const limit = setTimeout(() => {
        hasEnded = true;
        endChange(own, undoChange);
      }, maxChangeTime);
      const end = (work: () => void) => {
        hasEnded = true;
        clearTimeout(limit);
        endChange(own, work);
        return own.written.promise;
      };
      return {
        run(work) {
          if (hasEnded || !database.inTransaction) throw storeUnavailable(new Error('the change has ended'));
          return mapErrors(work);
        },
        async commit() {
          if (hasEnded) throw storeUnavailable(new Error(`the change took longer than ${maxChangeTime} ms`));
          await end(() => void release.run());
        },
        async rollback() {
          if (!hasEnded) await end(undoChange);
        },
      };
    },

    async close() {
      await takeTurn();
      if (group) commitGroup(group);
    },
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
