import { X509Certificate } from 'node:crypto';
import type { Transaction } from 'kysely';
import { sql } from 'kysely';
import { ApiError } from '../../core/api-error.ts';
import { isoTime } from '../../core/time/clock.ts';
import type { Tables } from '../../storage/entity-store/entity-store.ts';
import { readAuthPolicy } from './auth-policy.ts';
import { canAdminister } from './can-administer.ts';

/** Milliseconds. The last identity that can administer is never locked for longer after wrong passwords. */
const longestLastLock = 60 * 60_000;

/** What is about to be deleted, so it does not count. */
interface Without {
  readonly identityId?: string;
  readonly authenticatorId?: string;
}

interface Change {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** The field of the request that the error names, and its value. */
  readonly field: string;
  readonly value: string;
  readonly without?: Without;
}

/**
 * Call this in the transaction of a change after which an administrator can no longer administer. An identity can administer
 * when it is an administrator, is not disabled, not even for a time, and can sign in under its auth policy: with a password
 * or a certificate of the network that its policy does not take for expired. Certificates of third-party CAs and JWTs of
 * external signers do not count, because a CA and a signer can end at any time. Of two concurrent changes, the second one
 * sees the first. Nothing else may be locked afterwards that another change locks first.
 *
 * @throws 409 `LAST_ADMINISTRATOR` when nobody could administer any more
 */
export async function requireAdministrator(
  tx: Transaction<Tables>,
  { now, field, value, without = {} }: Change,
): Promise<void> {
  if (await someoneCanAdminister(tx, now, without)) return;
  const reason = 'no identity could administer the controller any more';
  throw new ApiError('LAST_ADMINISTRATOR', { cause: { field, reason, value } });
}

/** Whether an identity is an administrator, disabled or not. */
export async function isAdministrator(tx: Transaction<Tables>, identityId: string): Promise<boolean> {
  const row = await tx
    .selectFrom('identities')
    .select(['isAdmin', 'isDefaultAdmin'])
    .where('id', '=', identityId)
    .executeTakeFirst();
  return row !== undefined && (row.isAdmin === 1 || row.isDefaultAdmin === 1);
}

/**
 * Returns the end of a lock after wrong passwords (RFC 3339, `null`: no end). For the last identity that can administer it
 * is at most one hour away: anybody can send wrong passwords, and nobody could enable the identity again.
 */
export async function boundLock(
  tx: Transaction<Tables>,
  { identityId, until, now }: { readonly identityId: string; readonly until: string | null; readonly now: number },
): Promise<string | null> {
  const latest = isoTime(now + longestLastLock);
  if (until !== null && until <= latest) return until;
  if (!(await isAdministrator(tx, identityId))) return until;
  return (await someoneCanAdminister(tx, now, { identityId })) ? until : latest;
}

async function someoneCanAdminister(
  tx: Transaction<Tables>,
  now: number,
  { identityId = '', authenticatorId = '' }: Without,
): Promise<boolean> {
  await takeTurn(tx);
  // The literals let both databases use the index `identities_administrators`. It is read first, because it is short.
  const read = await sql<{ method: string; certPem: string | null; primary: string; secondary: string }>`
    with "administrators" as materialized (
      select "id", "authPolicyId" from "identities"
        where ("isAdmin" = 1 or "isDefaultAdmin" = 1)
          and ("disabledAt" is null or "disabledUntil" <= ${isoTime(now)}) and "id" <> ${identityId})
    select distinct a."method", case when a."method" = 'cert' then a."certPem" end as "certPem", p."primary", p."secondary"
      from "administrators" i
      join "authPolicies" p on p."id" = i."authPolicyId"
      join "authenticators" a on a."identityId" = i."id" and a."id" <> ${authenticatorId}
        and (a."method" <> 'cert' or a."isIssuedByNetwork" = 1)`.execute(tx);
  return read.rows.some(({ method, certPem, ...columns }) => {
    const policy = readAuthPolicy(columns);
    return canAdminister(method, policy) && isUsable(certPem, { now, ...policy.primary.cert });
  });
}

interface Dates {
  readonly now: number;
  readonly allowExpiredCerts: boolean;
}

/** True for an authenticator without a certificate, too. */
function isUsable(certPem: string | null, { now, allowExpiredCerts }: Dates): boolean {
  if (!certPem) return true;
  const { validFromDate, validToDate } = new X509Certificate(certPem);
  return validFromDate.getTime() <= now && (allowExpiredCerts || now <= validToDate.getTime());
}

/** Waits for the commit of every other transaction that has called this. */
async function takeTurn(tx: Transaction<Tables>): Promise<void> {
  await tx
    .insertInto('meta')
    .values({ key: 'administrators', value: '' })
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: '' }))
    .execute();
}
