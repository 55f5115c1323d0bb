import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import type Database from 'better-sqlite3';

/**
 * The log of an open database. A commit with `synchronous=NORMAL` is in this file, but not on the disk. SQLite would stop the event
 * loop to bring it there.
 */
export class LogFile {
  readonly #handle: FileHandle;
  #running: Promise<void> | null = null;
  #next: Promise<void> | null = null;

  private constructor(handle: FileHandle) {
    this.#handle = handle;
  }

  /** `database` keeps the log as long as it is open. */
  static async open(database: Database.Database, file: string): Promise<LogFile> {
    // The first change creates the log. With `FULL` it also brings the name of the log to the disk.
    database.pragma('synchronous = FULL');
    database.pragma(`user_version = ${database.pragma('user_version', { simple: true })}`);
    database.pragma('synchronous = NORMAL');
    return new LogFile(await open(`${file}-wal`, 'r+'));
  }

  /** Resolves when everything that is committed by now is on the disk. Callers that wait share one flush. */
  flush(): Promise<void> {
    this.#next ??= this.#flushAfter(this.#running);
    return this.#next;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }

  /** A flush that runs already may have begun before the commit of the caller. When it fails, what follows in the log is lost too. */
  async #flushAfter(running: Promise<void> | null): Promise<void> {
    await running;
    this.#running = this.#next;
    this.#next = null;
    await this.#handle.datasync();
  }
}
