import { ApiError, invalidField } from '../../api-error.ts';
import type { Change } from '../../crud/define-entity.ts';
import { defineEntity } from '../../crud/define-entity.ts';
import { duplicateValue } from '../../crud/unique.ts';
import { resetFailedAttempts } from '../../passwords/password-record.ts';
import { findClaimCredentials } from '../../revocation/credentials.ts';
import { requireAdministrator } from '../../sign-in-rules/administrators.ts';
import { addEnrollment } from './add-enrollment.ts';
import { derive } from './derive.ts';
import { keepAdministrator } from './keep-administrator.ts';

export const identities = defineEntity('identities', {
  id: 'short',
  fields: {
    name: { live: true, unique: duplicateValue('name', 'identities') },
    typeId: { absent: 'Default' },
    externalId: { live: true, unique: duplicateValue('externalId', 'identities') },
    authPolicyId: { absent: 'default', live: true },
    isAdmin: { live: true },
    isDefaultAdmin: { absent: false },
    defaultHostingCost: { absent: 0 },
    defaultHostingPrecedence: { absent: 'default' },
    serviceHostingCosts: { absent: {} },
    serviceHostingPrecedences: { absent: {} },
    appData: { absent: {} },
    disabledAt: { reset: true, live: true },
    disabledUntil: { reset: true, live: true },
    envInfo: { absent: {} },
    sdkInfo: { absent: {} },
  },

  async prepare({ verb, body }, next) {
    if (verb === 'update' && body.type === 'Router') {
      throw invalidField('typeId', 'may not change type to router', body.type);
    }
    refuseUnknownServices({ ...next.serviceHostingCosts, ...next.serviceHostingPrecedences });
    return {
      authPolicyId: next.authPolicyId || 'default',
      externalId: next.externalId?.trim() ? next.externalId : null,
    };
  },

  async written(change, next, previous) {
    const { id } = next;
    if (change.verb === 'create') await addEnrollment(change, id);
    // PUT also enables the identity.
    if (change.verb === 'update') await resetFailedAttempts(change.unit.tx, id);
    if (previous) await keepAdministrator(change, next, previous);
    if (previous && previous.externalId !== next.externalId) {
      for (const authenticatorId of await findClaimCredentials(change.unit.tx, id)) {
        await change.unit.affect({ kind: 'endSessions', identityId: id, which: { authenticatorId } });
      }
    }
  },

  async beforeDelete({ unit }: Change, { id, isAdmin, isDefaultAdmin }) {
    if (isDefaultAdmin) throw new ApiError('ENTITY_CAN_NOT_BE_DELETED');
    const now = unit.caller.clock();
    if (isAdmin) await requireAdministrator(unit.tx, { now, field: 'id', value: id, without: { identityId: id } });
    await unit.affect({ kind: 'endSessions', identityId: id });
  },

  derive,
});

/** This controller has no services yet, so every service id is unknown. */
function refuseUnknownServices(byService: Readonly<Record<string, unknown>>): void {
  const ids = Object.keys(byService);
  if (ids.length === 0) return;
  const message = `services with id ${ids.slice(0, 5).join(', ')} not found`;
  throw new ApiError('NOT_FOUND', { cause: { code: 'UNHANDLED', message } });
}
