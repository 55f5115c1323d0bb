import { isoTime } from '../../core/time/clock.ts';
import type { Dependencies } from './dependencies.ts';
import type { MfaRow } from './mfa-row.ts';

type Timed = Pick<Dependencies, 'clock' | 'settings'>;

/**
 * Counts an attempt before its code is evaluated. One conditional write does this, so that all sessions and replicas
 * together cannot exceed `totpAttempts`, also after a restart. Returns the number of attempts that are left, or `null`
 * when there was none.
 *
 * When the last attempt is in the future, the clock was ahead. Then it is moved to the present, so that the owner waits
 * no longer than one window. The attempts still count: otherwise replicas whose clocks differ would give more of them.
 */
export async function reserveAttempt(
  { clock, database, settings }: Timed & Pick<Dependencies, 'database'>,
  { id }: Pick<MfaRow, 'id'>,
): Promise<number | null> {
  const now = clock();
  const windowStart = isoTime(now - settings.totpAttemptWindow);
  const counted = await database.db
    .updateTable('mfas')
    .set((eb) => ({
      attempts: eb
        .case()
        .when('attemptedAt', '<=', windowStart)
        .then(1)
        .else(eb('attempts', '+', 1))
        .end(),
      attemptedAt: isoTime(now),
    }))
    .where('id', '=', id)
    .where((eb) =>
      eb.or([
        eb('attempts', '<', settings.totpAttempts),
        eb('attemptedAt', '<=', windowStart),
        eb('attemptedAt', '>', isoTime(now)),
      ]),
    )
    .returning('attempts')
    .executeTakeFirst();
  return counted && counted.attempts <= settings.totpAttempts ? settings.totpAttempts - counted.attempts : null;
}

/** Returns the number of attempts that are left now. */
export function attemptsLeft(call: Timed, mfa: MfaRow): number {
  return secondsToWait(call, mfa) === 0
    ? call.settings.totpAttempts
    : Math.max(0, call.settings.totpAttempts - mfa.attempts);
}

/** Returns the seconds until the attempts of a record no longer count. */
export function secondsToWait({ clock, settings }: Timed, { attemptedAt }: MfaRow): number {
  if (attemptedAt === null) return 0;
  const now = clock();
  const left = Math.min(Date.parse(attemptedAt), now) + settings.totpAttemptWindow - now;
  return Math.max(0, Math.ceil(left / 1_000));
}
