import { z } from 'zod';

/**
 * Returns milliseconds since 1970. For dates: an administrator or a time server may set this clock. A duration that
 * decides something comes from a `SteadyClock`.
 */
export type Clock = () => number;

export const systemClock: Clock = () => Date.now();

const maxSeconds = 1_000;
const seconds = new Map<number, string>();

/** Formats a time as in the API: RFC 3339, UTC, with milliseconds. */
export function isoTime(milliseconds: number): string {
  // Formatting the date is expensive, so the text of each second is cached. Only the milliseconds differ.
  const second = Math.floor(milliseconds / 1_000);
  let start = seconds.get(second);
  if (start === undefined) {
    if (seconds.size >= maxSeconds) seconds.clear();
    start = new Date(second * 1_000).toISOString().slice(0, -4);
    seconds.set(second, start);
  }
  return `${start}${String(Math.floor(milliseconds) - second * 1_000).padStart(3, '0')}Z`;
}

const dateTime = z.iso.datetime({ local: true, offset: true });

/**
 * Parses a date and time in RFC 3339. Without a zone it is in UTC. Returns milliseconds since 1970, or `null` for any
 * other text.
 */
export function parseTime(text: string): number | null {
  if (!dateTime.safeParse(text).success) return null;
  return Date.parse(/(?:Z|[+-]\d\d:\d\d)$/.test(text) ? text : `${text}Z`);
}
