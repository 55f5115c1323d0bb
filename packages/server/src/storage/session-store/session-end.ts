import type { ApiSessionRecord } from './session-store.ts';

type End = Pick<ApiSessionRecord, 'endsAt'>;

/** When a session ends: `idleEnd`, at the latest at its own end. Times are in milliseconds since 1970. */
export function expiryOf({ endsAt }: End, idleEnd: number): number {
  return endsAt !== null && endsAt < idleEnd ? endsAt : idleEnd;
}

/** Whether the own end of a session has come, however it is used. */
export function isPastEnd({ endsAt }: End, now: number): boolean {
  return endsAt !== null && endsAt <= now;
}
