/** True from `disabledAt` until `disabledUntil`, or without end if that is null. `now`: milliseconds since 1970. */
export function isDisabled(row: { disabledAt: string | null; disabledUntil: string | null }, now: number): boolean {
  return row.disabledAt !== null && (row.disabledUntil === null || Date.parse(row.disabledUntil) > now);
}
