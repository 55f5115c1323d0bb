import type { AuditEventName } from '../core/events/audit-events.ts';
import type { ControllerEvent } from '../core/events/events.ts';
import { addressGroup } from '../core/text/address-group.ts';
import type { Act } from './acts.ts';
import type { Actor } from './entry-of.ts';

/**
 * Who can cause an entry at any rate. `nobody`: each is written. `anybody`: strangers and users. `owners`: identities without any
 * permission, in what is their own; of those with permissions each is written.
 */
const repeatedBy: { readonly [N in AuditEventName]: 'nobody' | 'anybody' | 'owners' } = {
  'authentication.succeeded': 'nobody',
  'authentication.failed': 'anybody',
  'authQuery.answered': 'owners',
  'externalJwt.refused': 'anybody',
  'apiSession.ended': 'nobody',
  // A page that shows sessions reads them again and again.
  'apiSession.tokensRead': 'anybody',
  'apiSessions.revoked': 'owners',
  'session.ended': 'owners',
  'identity.locked': 'nobody',
  'permission.denied': 'anybody',
  'password.changed': 'owners',
  'stepUp.refused': 'anybody',
  'mfa.enrolled': 'owners',
  'mfa.removed': 'owners',
  'mfaCode.refused': 'anybody',
  'recoveryCodes.replaced': 'owners',
  'enrollment.redeemed': 'nobody',
  'enrollment.refused': 'anybody',
  'router.enrolled': 'nobody',
  'entity.created': 'owners',
  'entity.updated': 'owners',
  'entity.deleted': 'owners',
  'controller.started': 'nobody',
  'controller.stopped': 'nobody',
  'controller.certificateChanged': 'nobody',
  'controller.settingsReloaded': 'nobody',
  'database.restored': 'nobody',
  'auditLog.shortened': 'nobody',
};

/** What clients and routers change of themselves: when they sign in, extend a certificate, host a service. */
const own = new Set(['entity.updated identity', 'entity.updated authenticator', 'entity.updated edgeRouter']);
for (const change of ['created', 'updated', 'deleted']) own.add(`entity.${change} terminator`);
own.add('entity.updated transitRouter');

/** Who has caused an entry that may be one of many equal ones. */
export interface Source {
  /** Strangers have as many addresses as they like, but no identity. */
  readonly kind: 'address' | 'identity';
  readonly id: string;
}

/** `null`: the entry is written in any case. */
export function sourceOf(act: Act, event: ControllerEvent, { session, clientAddress }: Actor): Source | null {
  const by = repeatedBy[act.event];
  if (by === 'nobody') return null;
  const { isAdmin = false, permissions = none } = session?.principal ?? {};
  if (by === 'owners' && (isAdmin || permissions.size > 0)) return null;
  const id = identityOf(act, event);
  if (id !== null) return { kind: 'identity', id };
  const isOfAddress = event.name !== 'entityChange' && clientAddress !== undefined;
  return isOfAddress ? { kind: 'address', id: addressGroup(clientAddress) } : null;
}

function identityOf(act: Act, event: ControllerEvent): string | null {
  if (event.name === 'entityChange') return ownerOf(act, event.payload);
  return event.name === 'sessionRemoved' ? event.payload.identityId : act.identityId;
}

const none: ReadonlySet<string> = new Set();

type Change = Extract<ControllerEvent, { readonly name: 'entityChange' }>['payload'];

function ownerOf(act: Act, { initialState, finalState }: Change): string | null {
  if (!own.has(`${act.event} ${act.entityType}`)) return null;
  if (act.entityType !== 'terminator') return act.entityId;
  const { hostId, serviceId } = (finalState ?? initialState ?? {}) as Readonly<Record<string, unknown>>;
  return String(hostId || serviceId);
}
