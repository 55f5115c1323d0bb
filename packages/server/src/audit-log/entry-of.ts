import type { ControllerEvent } from '../events/events.ts';
import { isoTime } from '../lib/clock.ts';
import { actOf } from './acts.ts';
import type { NewEntry } from './entry.ts';

/** Who acts: a request, with or without an API session, or the controller itself. */
export interface Actor {
  readonly session?: { readonly principal: { readonly id: string } } | undefined;
  readonly clientAddress?: string | undefined;
  readonly requestId?: (() => string) | undefined;
}

/**
 * The entry of an event, or `null` when it has none.
 *
 * @param now milliseconds since 1970
 */
export function entryOf(event: ControllerEvent, actor: Actor, now: number): NewEntry | null {
  const { session, clientAddress, requestId } = actor;
  const act = actOf(event, session?.principal.id ?? null);
  if (!act) return null;
  const { details, ...members } = act;
  return {
    ...members,
    createdAt: isoTime(now),
    details: JSON.stringify(details),
    ipAddress: clientAddress ?? null,
    requestId: requestId?.() ?? null,
  };
}
