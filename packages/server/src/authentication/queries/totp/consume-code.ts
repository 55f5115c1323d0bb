import type { Kysely, Transaction } from 'kysely';
import type { Call } from '../../../call.ts';
import { isoTime } from '../../../lib/clock.ts';
import type { Tables } from '../../../stores/entity-store.ts';
import type { MfaRow } from './mfa-record.ts';
import { recoveryCodesOf, sealRecoveryCodes, secretOf } from './mfa-record.ts';
import { withoutCode } from './recovery-codes.ts';
import { acceptableStep } from './totp.ts';

export type CodeKind = 'totp' | 'recoveryCode';
type Needs = Pick<Call, 'clock' | 'entities' | 'sealer'>;

/** What is written together with the use of a code. */
export interface Writes {
  readonly columns?: Partial<Pick<MfaRow, 'isVerified' | 'sealedRecoveryCodes'>>;
  /** Runs in the transaction that uses the code. */
  readonly alongside?: (tx: Transaction<Tables>) => Promise<void>;
}

/** What using a code would change, as far as `mfa` is still what the database has. */
type Use = { readonly step: number } | { readonly sealedRecoveryCodes: string };

/** Others may use other codes of the same identity at the same moment; each of them makes this one try again. */
const maxRounds = 40;

/**
 * Judges a code and uses it up in one conditional write: of any number of concurrent callers with the same code one wins.
 *
 * @returns the record as it was written; `wrong` for a code that is not (or no longer) acceptable; `gone` when the record
 * was removed or verified meanwhile; `busy` when others were faster every time
 */
export async function consumeCode(
  call: Needs,
  found: MfaRow,
  given: { kind: CodeKind; code: string } & Writes,
): Promise<MfaRow | 'wrong' | 'gone' | 'busy'> {
  const now = call.clock();
  let mfa = found;
  for (let round = 0; round < maxRounds; round += 1) {
    const use = judge(call, mfa, { ...given, now });
    if (!use) return 'wrong';
    const written = await write(call, mfa, use, given);
    if (written) return written;
    const current = await call.entities.db.selectFrom('mfas').selectAll().where('id', '=', mfa.id).executeTakeFirst();
    if (current?.isVerified !== mfa.isVerified) return 'gone';
    mfa = current;
  }
  return 'busy';
}

function judge(call: Needs, mfa: MfaRow, given: { kind: CodeKind; code: string; now: number }): Use | null {
  if (given.kind === 'totp') {
    const step = acceptableStep({ secret: secretOf(call, mfa), code: given.code, now: given.now, after: mfa.lastStep });
    return step === null ? null : { step };
  }
  const rest = withoutCode(recoveryCodesOf(call, mfa), given.code);
  return rest && { sealedRecoveryCodes: sealRecoveryCodes(call, mfa, rest) };
}

async function write(call: Needs, mfa: MfaRow, use: Use, { columns, alongside }: Writes): Promise<MfaRow | undefined> {
  const update = (db: Kysely<Tables>) => {
    const shared = { attempts: 0, updatedAt: isoTime(call.clock()) };
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
  if (!alongside) return update(call.entities.db);
  return call.entities.transaction(async (tx) => {
    const written = await update(tx);
    if (written) await alongside(tx);
    return written;
  });
}
