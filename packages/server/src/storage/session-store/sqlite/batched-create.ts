import { setImmediate } from 'node:timers';
import type Database from 'better-sqlite3';
import { mapError } from '../../database/sqlite/errors.ts';
import type { FirstData } from '../session-store.ts';
import type { SqliteSessionCertificates } from './session-certificates.ts';
import type { SqliteSessionData } from './session-data.ts';
import type { SessionRow } from './session-row.ts';
import type { SessionStatements } from './session-statements.ts';

interface PendingCreate {
  readonly row: SessionRow;
  readonly first: FirstData;
  readonly resolve: (version: string) => void;
  readonly reject: (error: unknown) => void;
}

interface BatchedCreateOptions {
  readonly database: Database.Database;
  readonly statements: SessionStatements;
  readonly certificates: SqliteSessionCertificates;
  readonly data: SqliteSessionData;
}

/** `create` of the store. All sessions of one event-loop turn are inserted in one transaction, because a commit costs more than they do. */
export class BatchedCreate {
  readonly #options: BatchedCreateOptions;
  readonly #createAll: (batch: readonly PendingCreate[]) => string;
  #pending: PendingCreate[] = [];

  constructor(options: BatchedCreateOptions) {
    this.#options = options;
    this.#createAll = options.database.transaction((batch) => {
      for (const { row, first } of batch) this.#insert(row, first);
      return String(options.statements.version.get());
    });
  }

  /** Inserts a session with what it begins with. Resolves to the version, as it was read with the session. */
  create(row: SessionRow, first: FirstData): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#pending.length === 0) setImmediate(() => this.#createPending());
      this.#pending.push({ row, first, resolve, reject });
    });
  }

  #createPending(): void {
    const batch = this.#pending;
    this.#pending = [];
    try {
      const version = this.#createAll(batch);
      for (const { resolve } of batch) resolve(version);
    } catch (error) {
      for (const { reject } of batch) reject(mapError(error));
    }
  }

  #insert(row: SessionRow, { certificates = [], posture }: FirstData): void {
    this.#options.statements.create.run(row);
    for (const certificate of certificates) this.#options.certificates.insert(row.tokenHash, certificate);
    if (posture !== undefined) this.#options.data.insert(row.tokenHash, 'posture', posture);
  }
}
