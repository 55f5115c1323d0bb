import type { LiveRouter } from '../live-router.ts';
import type { KnownSession } from './known-sessions.ts';

/** What has become of an API session. `null`: it is not known. */
export interface SessionChange {
  readonly before: KnownSession | null;
  readonly after: KnownSession | null;
}

/** What a change means to one router. */
interface RouterChanges {
  readonly added: readonly KnownSession[];
  readonly removed: readonly KnownSession[];
  /** Those that it knows and keeps. */
  readonly kept: readonly KnownSession[];
}

/** Whether a router may know an API session. */
export function isFor({ id }: Pick<LiveRouter, 'id'>, session: KnownSession | null | undefined): boolean {
  return session?.routerIds.has(id) ?? false;
}

export function changesFor(router: Pick<LiveRouter, 'id'>, changes: readonly SessionChange[]): RouterChanges {
  const added: KnownSession[] = [];
  const removed: KnownSession[] = [];
  const kept: KnownSession[] = [];
  for (const { before, after } of changes) {
    const [had, has] = [isFor(router, before), isFor(router, after)];
    if (after && has) (had ? kept : added).push(after);
    else if (before && had) removed.push(before);
  }
  return { added, removed, kept };
}
