import { isoTime } from '../core/time/clock.ts';
import type { Act } from './act-of.ts';
import type { NewEntry } from './entry.ts';

interface Rights {
  readonly isAdmin: boolean;
  readonly permissions: ReadonlySet<string>;
}

/** Who acts: a request, with or without an API session, or the controller itself. */
export interface Actor {
  readonly session?: { readonly principal: { readonly id: string } & Partial<Rights> } | undefined;
  readonly clientAddress?: string | undefined;
  readonly requestId?: (() => string) | undefined;
}

/** @param now milliseconds since 1970 */
export function entryOf(act: Act, { clientAddress, requestId }: Actor, now: number): NewEntry {
  const { details, ...members } = act;
  return {
    ...members,
    createdAt: isoTime(now),
    details: JSON.stringify(details),
    ipAddress: clientAddress ?? null,
    requestId: requestId?.() ?? null,
  };
}
