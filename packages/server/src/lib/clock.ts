/** Milliseconds since 1970. The only reader of the wall clock. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

/** A moment as it is written on the wire: RFC 3339, UTC, milliseconds. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
