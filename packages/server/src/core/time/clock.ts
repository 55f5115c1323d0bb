import { readFileSync } from 'node:fs';
import { uptime } from 'node:os';
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

/** The monotonic clocks of a machine, in milliseconds. */
export interface Machine {
  /** Another one after each start of the machine. `null`: the system has none. */
  readonly bootId: string | null;
  /** The time since the machine started. Counts the time that it sleeps. */
  uptime(): number;
  /** Exact, but stands still while the machine sleeps. Every process begins at 0. */
  running(): number;
}

/** A moment of a steady clock. The next process continues from it. */
export interface Mark {
  /** What the steady clock showed. */
  readonly steady: number;
  /** Milliseconds since 1970. */
  readonly wall: number;
  readonly uptime: number;
  readonly bootId: string | null;
}

/** A monotonic clock in milliseconds that goes on over restarts. It measures durations, and shows no date. */
export interface SteadyClock {
  now(): number;
  /** Returns the present moment. Call it every few seconds: it also counts the time that the machine slept. */
  mark(): Mark;
}

export const thisMachine: Machine = {
  bootId: readBootId(),
  uptime: () => uptime() * 1_000,
  running: () => performance.now(),
};

/** `uptime` is less exact than `running`. Only a greater difference means that the machine slept. */
const leastSleep = 1_000;

/**
 * Continues a steady clock from the last mark that was saved. As long as the machine runs, its uptime tells the time
 * since the mark. After another start of the machine only the wall clock can tell it. When that went back, no time
 * counts. Without a mark the steady clock starts at the wall clock.
 */
export function continueSteadyClock(mark: Mark | null, clock: Clock, machine = thisMachine): SteadyClock {
  let uptimeThen = machine.uptime();
  let runningThen = machine.running();
  let steady = mark === null ? clock() : mark.steady + elapsedSince(mark, clock, machine);
  return {
    now: () => Math.floor(steady + machine.running() - runningThen),
    mark() {
      const uptimeNow = machine.uptime();
      const runningNow = machine.running();
      const ran = runningNow - runningThen;
      const slept = uptimeNow - uptimeThen - ran;
      steady += slept > leastSleep ? ran + slept : ran;
      uptimeThen = uptimeNow;
      runningThen = runningNow;
      return { steady: Math.floor(steady), wall: clock(), uptime: Math.floor(uptimeNow), bootId: machine.bootId };
    },
  };
}

function elapsedSince({ wall, uptime: uptimeThen, bootId }: Mark, clock: Clock, machine: Machine): number {
  const sinceMark = machine.uptime() - uptimeThen;
  // A container may have an uptime of its own. It is below the old one when the container was started again.
  if (bootId !== null && bootId === machine.bootId && sinceMark >= 0) return sinceMark;
  return Math.max(0, clock() - wall);
}

/** Linux has an id of its start. */
function readBootId(): string | null {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return null;
  }
}
