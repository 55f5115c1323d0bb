import type { Event, UnloggedEvent } from '../core/events/event.ts';
import type { AuditEventName, ControllerEvent } from '../core/events/events.ts';
import { events } from '../core/events/events.ts';
import { isoTime } from '../core/time/clock.ts';
import type { NewEntry } from './entry.ts';

/** What an entry says about an act, without time and request. */
export interface AuditAct {
  readonly event: AuditEventName;
  readonly outcome: 'success' | 'failure';
  /** Who acted. */
  readonly identityId: string | null;
  readonly entityType: string | null;
  readonly entityId: string | null;
  readonly details: object;
}

/**
 * What the audit log says about an event, or `null` when it says nothing.
 *
 * @param caller the identity of the API session of the request
 */
export function actOf({ name, payload }: ControllerEvent, caller: string | null): AuditAct | null {
  // The row has functions for the payload of its own event.
  const { entry } = events[name] as Event<typeof payload> | UnloggedEvent<typeof payload>;
  if (!entry || entry.isWritten?.(payload) === false) return null;
  const { outcome = 'success', who, on, details } = entry;
  const [entityType, entityId] = on?.(payload) ?? [null, null];
  return {
    event: name as AuditEventName,
    outcome,
    identityId: who?.(payload, caller) ?? null,
    entityType,
    entityId,
    details: typeof details === 'function' ? details(payload) : picked(payload, details),
  };
}

function picked<P extends object>(payload: P, names: readonly (keyof P & string)[]): object {
  return Object.fromEntries(names.map((name) => [name, payload[name]]));
}

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
export function entryOf(act: AuditAct, { clientAddress, requestId }: Actor, now: number): NewEntry {
  const { details, ...members } = act;
  return {
    ...members,
    createdAt: isoTime(now),
    details: JSON.stringify(details),
    ipAddress: clientAddress ?? null,
    requestId: requestId?.() ?? null,
  };
}
