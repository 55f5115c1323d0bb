import type { Kysely, Transaction } from 'kysely';
import type { Call } from '../../../call.ts';
import { isoTime } from '../../../lib/clock.ts';
import type { Tables } from '../../../stores/entity-store.ts';
import type { MfaRow } from './mfa-record.ts';
import { recoveryCodesOf, sealRecoveryCodes, secretOf } from './mfa-record.ts';
import { withoutCode } from './recovery-codes.ts';
import { acceptableStep } from './totp.ts';

export type CodeKind = 'totp' | 'recoveryCode';
type CodeServices = Pick<Call, 'clock' | 'entities' | 'sealer'>;

/** Further changes that are written together with the use of a code. */
export interface Writes {
  readonly columns?: Partial<Pick<MfaRow, 'isVerified' | 'sealedRecoveryCodes'>>;
  /** Runs in the transaction that uses the code. */
  readonly inTransaction?: (tx: Transaction<Tables>) => Promise<void>;
}

/** The change that uses up a code. */
type CodeUse = { readonly step: number } | { readonly sealedRecoveryCodes: string };

/** Another code of the same identity may be used at the same moment. Then the write fails and is tried again. */
const maxTries = 40;

/**
 * Evaluates a code and uses it up in one conditional write. Of several concurrent callers with the same code, only one
 * succeeds.
 *
 * @returns the written record; `wrong` when the code is not acceptable or was used already; `gone` when the record was
 * removed or verified meanwhile; `busy` when other codes were used during every try
 */
export async function consumeCode(
  call: CodeServices,
  found: MfaRow,
  given: { kind: CodeKind; code: string } & Writes,
): Promise<MfaRow | 'wrong' | 'gone' | 'busy'> {
  const now = call.clock();
  let mfa = found;
  for (let tries = 0; tries < maxTries; tries += 1) {
    const use = evaluateCode(call, mfa, { ...given, now });
    if (!use) return 'wrong';
    const written = await write(call, mfa, use, given);
    if (written) return written;
    const current = await call.entities.db.selectFrom('mfas').selectAll().where('id', '=', mfa.id).executeTakeFirst();
    if (current?.isVerified !== mfa.isVerified) return 'gone';
    mfa = current;
  }
  return 'busy';
}

function evaluateCode(
  call: CodeServices,
  mfa: MfaRow,
  given: { kind: CodeKind; code: string; now: number },
): CodeUse | null {
  if (given.kind === 'totp') {
    const step = acceptableStep({ secret: secretOf(call, mfa), code: given.code, now: given.now, after: mfa.lastStep });
    return step === null ? null : { step };
  }
  const rest = withoutCode(recoveryCodesOf(call, mfa), given.code);
  return rest && { sealedRecoveryCodes: sealRecoveryCodes(call, mfa, rest) };
}

async function write(
  call: CodeServices,
  mfa: MfaRow,
  use: CodeUse,
  { columns, inTransaction }: Writes,
): Promise<MfaRow | undefined> {
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
  if (!inTransaction) return update(call.entities.db);
  return call.entities.transaction(async (tx) => {
    const written = await update(tx);
    if (written) await inTransaction(tx);
    return written;
  });
}
