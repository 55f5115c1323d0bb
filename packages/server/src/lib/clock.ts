/** Milliseconds since 1970. The only reader of the wall clock. */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

const maxSeconds = 1_000;
const seconds = new Map<number, string>();

/** A moment as it is written on the wire: RFC 3339, UTC, milliseconds. */
export function isoTime(milliseconds: number): string {
  // Requests of one second share all but the last digits, and making those is most of the work.
  const second = Math.floor(milliseconds / 1_000);
  let start = seconds.get(second);
  if (start === undefined) {
    if (seconds.size >= maxSeconds) seconds.clear();
    start = new Date(second * 1_000).toISOString().slice(0, -4);
    seconds.set(second, start);
  }
  return `${start}${String(Math.floor(milliseconds) - second * 1_000).padStart(3, '0')}Z`;
}
