import type { Kysely, Transaction } from 'kysely';
import type { Call } from '../call.ts';
import { isoTime } from '../lib/clock.ts';
import type { Tables } from '../stores/entity-store.ts';
import type { MfaRow } from './mfa-record.ts';

/** The change that uses up a code: of a TOTP code its time step, of a recovery code the sealed list without it. */
export type CodeUse = { readonly step: number } | { readonly sealedRecoveryCodes: string };

/** Further changes that are written together with the use of a code. */
export interface Writes {
  readonly columns?: Partial<Pick<MfaRow, 'isVerified' | 'sealedRecoveryCodes'>>;
  /** Runs in the transaction that uses the code. */
  readonly inTransaction?: (tx: Transaction<Tables>) => Promise<void>;
}

/**
 * Uses up a code in one conditional write: of a TOTP code if no later step has been used, of a recovery code if the
 * sealed list is still the one that was read. Returns the written record, or `undefined` when the condition is false.
 */
export async function useUpCode(
  { clock, entities }: Pick<Call, 'clock' | 'entities'>,
  mfa: MfaRow,
  use: CodeUse & Writes,
): Promise<MfaRow | undefined> {
  const { columns, inTransaction } = use;
  const update = (db: Kysely<Tables>) => {
    const shared = { attempts: 0, updatedAt: isoTime(clock()) };
    const query = db.updateTable('mfas').where('id', '=', mfa.id).where('isVerified', '=', mfa.isVerified);
    const conditional =
      'step' in use
        ? query
            .set({ ...shared, lastStep: use.step, ...columns })
            .where((eb) => eb.or([eb('lastStep', 'is', null), eb('lastStep', '<', use.step)]))
        : query
            .set({ ...shared, sealedRecoveryCodes: use.sealedRecoveryCodes, ...columns })
            .where('sealedRecoveryCodes', '=', mfa.sealedRecoveryCodes);
    return conditional.returningAll().executeTakeFirst();
  };
  if (!inTransaction) return update(entities.db);
  return entities.transaction(async (tx) => {
    const written = await update(tx);
    if (written) await inTransaction(tx);
    return written;
  });
}
