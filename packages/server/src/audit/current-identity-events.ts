import type { AccountEvent, clientApi } from '@edge-controller/shared-types';
import type { ExpressionBuilder } from 'kysely';
import type { HandlersWith } from '../core/call.ts';
import type { AuditEventName } from '../core/events/events.ts';
import type { EntityStore, Tables } from '../storage/entity-store/entity-store.ts';

interface Dependencies {
  readonly database: EntityStore;
}

interface Session {
  readonly principal: { readonly id: string };
}

const limit = 50;

type Condition = (entry: ExpressionBuilder<Tables, 'auditLog'>, id: string) => ReturnType<typeof entry.and>;

/** Events of an account, and where an entry has its id. Each has an index. */
const sources: readonly { readonly events: readonly AuditEventName[]; readonly isOf: Condition }[] = [
  {
    events: ['authentication.succeeded'],
    isOf: (entry, id) => entry.and([entry('identityId', '=', id)]),
  },
  {
    events: [
      ...(['authentication.failed', 'identity.locked', 'mfaCode.refused', 'mfa.enrolled', 'mfa.removed'] as const),
      ...(['recoveryCodes.replaced', 'enrollment.redeemed'] as const),
    ],
    isOf: (entry, id) => entry.and([entry('entityType', '=', 'identity'), entry('entityId', '=', id)]),
  },
  {
    events: ['password.changed', 'entity.created', 'entity.updated'],
    isOf: (entry, id) =>
      entry.and([
        entry('entityId', 'in', entry.selectFrom('authenticators').select('id').where('identityId', '=', id)),
      ]),
  },
];

/** Handler of `/current-identity/events`. */
export const currentIdentityEvents: HandlersWith<typeof clientApi, Dependencies, Session>['currentIdentityEvents'] = {
  async list({ database, session }) {
    const { id } = session.principal;
    const found = await Promise.all(
      sources.map(({ events, isOf }) =>
        database.lists
          .selectFrom('auditLog')
          .select(['sequence', 'createdAt', 'event', 'outcome', 'identityId', 'ipAddress'])
          .where((entry) => isOf(entry, id))
          .where('event', 'in', events)
          .orderBy('createdAt', 'desc')
          .orderBy('sequence', 'desc')
          .limit(limit)
          .execute(),
      ),
    );
    const newest = found.flat().toSorted((a, b) => b.sequence - a.sequence);
    return { batches: [newest.slice(0, limit).map((entry) => shown(entry, id))] };
  },
};

type Entry = Pick<Tables['auditLog'], 'createdAt' | 'event' | 'outcome' | 'identityId' | 'ipAddress'>;

/** Nobody learns where an administrator is. */
function shown({ createdAt, event, outcome, identityId, ipAddress }: Entry, id: string): AccountEvent {
  const byOwner = identityId === id;
  return { createdAt, event, outcome, byOwner, ipAddress: byOwner || identityId === null ? ipAddress : null };
}
