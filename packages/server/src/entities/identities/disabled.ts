/** True from `disabledAt` until `disabledUntil`, for ever when that is not set. `now` in milliseconds since 1970. */
export function isDisabled(row: { disabledAt: string | null; disabledUntil: string | null }, now: number): boolean {
  return row.disabledAt !== null && (row.disabledUntil === null || Date.parse(row.disabledUntil) > now);
}
