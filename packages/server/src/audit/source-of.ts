import type { ControllerEvent, EntityChange } from '../core/events/events.ts';
import { events, isEntityChange } from '../core/events/events.ts';
import { addressGroup } from '../core/text/address-group.ts';
import type { Actor, AuditAct } from './entry-of.ts';

/** What clients and routers change of themselves: when they sign in, extend a certificate, host a service. */
const own = new Set(['entity.updated identity', 'entity.updated authenticator', 'entity.updated edgeRouter']);
for (const change of ['created', 'updated', 'deleted']) own.add(`entity.${change} terminator`);
own.add('entity.updated transitRouter');

/** Who has caused an entry that may be one of many equal ones. */
export interface AuditSource {
  /** Unauthenticated clients have as many addresses as they like, but no identity. */
  readonly kind: 'address' | 'identity';
  readonly id: string;
}

/** `null`: the entry is written in any case. */
export function sourceOf(act: AuditAct, event: ControllerEvent, { session, clientAddress }: Actor): AuditSource | null {
  const by = events[act.event].entry.repeatedBy;
  if (by === 'nobody') return null;
  const { isAdmin = false, permissions = none } = session?.principal ?? {};
  if (by === 'owners' && (isAdmin || permissions.size > 0)) return null;
  const id = identityOf(act, event);
  if (id !== null) return { kind: 'identity', id };
  const isOfAddress = !isEntityChange(event) && clientAddress !== undefined;
  return isOfAddress ? { kind: 'address', id: addressGroup(clientAddress) } : null;
}

function identityOf(act: AuditAct, event: ControllerEvent): string | null {
  if (isEntityChange(event)) return ownerOf(act, event.payload);
  return event.name === 'session.ended' ? event.payload.identityId : act.identityId;
}

const none: ReadonlySet<string> = new Set();

function ownerOf(act: AuditAct, { initialState, finalState }: EntityChange): string | null {
  if (!own.has(`${act.event} ${act.entityType}`)) return null;
  if (act.entityType !== 'terminator') return act.entityId;
  const { hostId, serviceId } = (finalState ?? initialState ?? {}) as Readonly<Record<string, unknown>>;
  return String(hostId || serviceId);
}
