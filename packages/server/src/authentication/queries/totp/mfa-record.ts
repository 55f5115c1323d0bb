import type { Kysely } from 'kysely';
import { ApiError } from '../../../api-error.ts';
import type { Call, SessionCall } from '../../../call.ts';
import { lockRow } from '../../../entities/define-entity.ts';
import { isoTime } from '../../../lib/clock.ts';
import { shortId } from '../../../lib/ids.ts';
import type { Tables } from '../../../stores/entity-store.ts';
import { newRecoveryCodes } from './recovery-codes.ts';
import { newSecret, provisioningUrl } from './totp.ts';

export type MfaRow = Tables['mfas'];
type Owned = Pick<MfaRow, 'id' | 'identityId'>;
type WithSealer = Pick<Call, 'sealer'>;

/**
 * Starts the TOTP enrollment of the caller and returns the id of the record. It replaces an unverified record of
 * another session. Otherwise somebody who knows only the password could set or read the secret that the identity uses
 * later.
 *
 * @throws 409 `MFA_EXISTS` when there is a verified record or an unverified one of this session
 */
export async function createMfa(call: SessionCall): Promise<string> {
  const mfa = { id: shortId(), identityId: call.session.principal.id };
  const sessionId = call.session.stored.id;
  const now = isoTime(call.clock());
  const row: MfaRow = {
    ...mfa,
    createdAt: now,
    updatedAt: now,
    tags: '{}',
    isVerified: 0,
    sealedSecret: call.sealer.seal(newSecret(), secretContext(mfa)),
    sealedRecoveryCodes: sealRecoveryCodes(call, mfa, newRecoveryCodes()),
    lastStep: null,
    attempts: 0,
    attemptedAt: null,
    sessionId,
  };
  const write = call.entities.transaction(async (tx) => {
    await lockRow({ call, tx }, 'identities', 'identity', mfa.identityId);
    await tx
      .deleteFrom('mfas')
      .where('identityId', '=', mfa.identityId)
      .where('isVerified', '=', 0)
      .where('sessionId', '<>', sessionId)
      .execute();
    await tx.insertInto('mfas').values(row).execute();
  });
  await write.catch((error: unknown) => {
    throw call.entities.violatedUnique(error) === 'identityId' ? new ApiError('MFA_EXISTS', { origin: error }) : error;
  });
  return mfa.id;
}

/** Returns the TOTP of the caller. Only the API session that started an enrollment sees it before it is verified. */
export async function findOwnMfa({ entities, session }: SessionCall): Promise<MfaRow | undefined> {
  const mfa = await findMfa(entities.db, session.principal.id);
  return mfa?.isVerified === 1 || mfa?.sessionId === session.stored.id ? mfa : undefined;
}

export function findMfa(db: Kysely<Tables>, identityId: string): Promise<MfaRow | undefined> {
  return db.selectFrom('mfas').selectAll().where('identityId', '=', identityId).executeTakeFirst();
}

/** Returns the TOTP secret in base32. */
export function secretOf({ sealer }: WithSealer, mfa: MfaRow): string {
  return sealer.open(mfa.sealedSecret, secretContext(mfa));
}

export function recoveryCodesOf({ sealer }: WithSealer, mfa: MfaRow): string[] {
  return JSON.parse(sealer.open(mfa.sealedRecoveryCodes, recoveryContext(mfa)));
}

export function sealRecoveryCodes({ sealer }: WithSealer, mfa: Owned, codes: readonly string[]): string {
  return sealer.seal(JSON.stringify(codes), recoveryContext(mfa));
}

export function provisioningUrlOf(call: SessionCall, mfa: MfaRow): string {
  const { totpIssuer: issuer, totpLabel: label } = call.settings;
  return provisioningUrl({ issuer, label, identity: call.session.principal, secret: secretOf(call, mfa) });
}

/** Binds a sealed value to its identity, so that it cannot be opened in a record of another identity. */
function secretContext({ id, identityId }: Owned): string {
  return `${identityId} ${id} secret`;
}

function recoveryContext({ id, identityId }: Owned): string {
  return `${identityId} ${id} recovery codes`;
}
