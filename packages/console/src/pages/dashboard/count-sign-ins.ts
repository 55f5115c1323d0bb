import { filter } from '@edge-controller/sdk';
import { edge } from '../../session/edge.ts';

export const hourTime = 3_600_000;

export interface HourCount {
  /** Milliseconds since 1970. */
  readonly start: number;
  readonly accepted: number;
  readonly refused: number;
}

/** When the last hours began, the current one at the end. */
export function lastHours(now: number, count: number): readonly number[] {
  const current = Math.floor(now / hourTime) * hourTime;
  return Array.from({ length: count }, (_, at) => current - (count - 1 - at) * hourTime);
}

/** Counts the sign-ins of one hour. The controller counts at most 10,001 of each. */
export async function countSignIns(start: number, signal: AbortSignal): Promise<HourCount> {
  async function count(event: string): Promise<number> {
    const hour = filter`createdAt >= ${new Date(start)} and createdAt < ${new Date(start + hourTime)}`;
    const query = { filter: `${filter`event = ${event}`} and ${hour}`, limit: 1 };
    return (await edge.management.auditLog.list(query, { signal })).meta.pagination?.totalCount ?? 0;
  }
  const [accepted, refused] = await Promise.all([count('authentication.succeeded'), count('authentication.failed')]);
  return { start, accepted, refused };
}
