import type { Kysely, Transaction } from 'kysely';
import { isoTime } from '../../core/time/clock.ts';
import type { Tables } from '../../storage/entity-store/entity-store.ts';
import type { Dependencies } from './dependencies.ts';
import type { MfaRow } from './mfa-row.ts';

/** The change that uses up a code: of a TOTP code the list with its step, of a recovery code the list without it. */
export type CodeUse = Readonly<Pick<MfaRow, 'usedSteps'> | Pick<MfaRow, 'sealedRecoveryCodes'>>;

/** Further changes that are written together with the use of a code. */
export interface Writes {
  readonly columns?: Partial<Pick<MfaRow, 'isVerified' | 'sealedRecoveryCodes'>>;
  /** Runs in the transaction that uses the code. */
  readonly inTransaction?: (tx: Transaction<Tables>) => Promise<void>;
}

/**
 * Uses up a code in one conditional write: the list is replaced if it is still the one that was read. Returns the written
 * record, or `undefined` when the list is another one by now.
 */
export async function useUpCode(
  { clock, database }: Pick<Dependencies, 'clock' | 'database'>,
  mfa: MfaRow,
  use: CodeUse & Writes,
): Promise<MfaRow | undefined> {
  const { columns, inTransaction } = use;
  const update = (db: Kysely<Tables>) => {
    const list = 'usedSteps' in use ? { usedSteps: use.usedSteps } : { sealedRecoveryCodes: use.sealedRecoveryCodes };
    const read = 'usedSteps' in use ? 'usedSteps' : 'sealedRecoveryCodes';
    return db
      .updateTable('mfas')
      .set({ attempts: 0, updatedAt: isoTime(clock()), ...list, ...columns })
      .where('id', '=', mfa.id)
      .where('isVerified', '=', mfa.isVerified)
      .where(read, '=', mfa[read])
      .returningAll()
      .executeTakeFirst();
  };
  if (!inTransaction) return update(database.db);
  return database.transaction(async (tx) => {
    const written = await update(tx);
    if (written) await inTransaction(tx);
    return written;
  });
}
