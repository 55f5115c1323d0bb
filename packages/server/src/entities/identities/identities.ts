import { permissionNames } from '@edge-controller/shared-types';
import { accessRules } from '../../access/service-access/access-rules.ts';
import { ApiError, invalidField, notFound } from '../../core/api-error.ts';
import { resetFailedAttempts } from '../../credentials/passwords/password-record.ts';
import { requireAdministrator } from '../../credentials/sign-in-rules/administrators.ts';
import type { ProposedChange } from '../../crud/define-entity.ts';
import { defineEntity } from '../../crud/define-entity.ts';
import { missingOf } from '../../crud/references.ts';
import { duplicateValue } from '../../crud/unique.ts';
import type { UnitOfWork } from '../../crud/unit-of-work.ts';
import type { EntityState } from '../../storage/entity-store/state.ts';
import type { FieldsOf } from '../../storage/entity-store/tables.ts';
import { findClaimCredentials } from '../../storage/revocation/credentials.ts';
import type { Caller } from '../dependencies.ts';
import { addEnrollment } from './add-enrollment.ts';
import { authorize } from './authorize.ts';
import { derive } from './derive.ts';
import { keepAdministrator } from './keep-administrator.ts';
import { keepRouter, routerExists } from './keep-router.ts';

type Identity = EntityState<FieldsOf<'identities'>>;

export const identities = defineEntity<'identities', Caller>('identities', {
  id: 'short',
  access: accessRules.identities,
  fields: {
    name: { access: 'none', affectsSessions: true, taken: duplicateValue('name', 'identities') },
    typeId: { access: 'none' },
    roleAttributes: { access: 'rights' },
    externalId: { access: 'none', affectsSessions: true, taken: duplicateValue('externalId', 'identities') },
    externalIdSignerId: { access: 'none', affectsSessions: true },
    authPolicyId: { access: 'none', affectsSessions: true },
    isAdmin: { access: 'none', affectsSessions: true },
    permissions: { access: 'none', affectsSessions: true },
    isDefaultAdmin: { access: 'none' },
    defaultHostingCost: { access: 'none' },
    defaultHostingPrecedence: { access: 'none' },
    serviceHostingCosts: { access: 'none' },
    serviceHostingPrecedences: { access: 'none' },
    appData: { access: 'none' },
    disabledAt: { access: 'none', reset: true, affectsSessions: true },
    disabledUntil: { access: 'none', reset: true, affectsSessions: true },
    envInfo: { access: 'none' },
    sdkInfo: { access: 'none' },
  },

  authorize,

  async prepare({ unit, verb, body }, next, previous) {
    if (previous) keepRouter({ verb, body }, next, previous);
    // A service that was deleted since must not stop other changes.
    const known = previous ? servicesNamed(previous) : [];
    await refuseUnknownServices(
      unit,
      servicesNamed(next).filter((service) => !known.includes(service)),
    );
    const unknown = next.permissions?.find((name) => !(permissionNames as readonly string[]).includes(name));
    if (unknown !== undefined) throw invalidField('permissions', `invalid permissions '${unknown}'`, unknown);
    return {
      // An index has the identities with permissions.
      permissions: next.permissions?.length ? next.permissions : null,
      authPolicyId: next.authPolicyId || 'default',
      externalId: next.externalId?.trim() ? next.externalId : null,
      externalIdSignerId: next.externalIdSignerId || null,
    };
  },

  async written(change, next, previous) {
    const { id } = next;
    if (change.verb === 'create') await addEnrollment(change, id);
    // PUT also enables the identity.
    if (change.verb === 'update') await resetFailedAttempts(change.unit.tx, id);
    if (previous) await keepAdministrator(change, next, previous);
    if (previous && isNamedOtherwise(next, previous)) {
      for (const authenticatorId of await findClaimCredentials(change.unit.tx, id)) {
        await change.unit.affect({ kind: 'endSessions', identityId: id, which: { authenticatorId } });
      }
    }
  },

  async beforeDelete({ unit, verb }: ProposedChange, { id, name, typeId, isAdmin, isDefaultAdmin }) {
    if (isDefaultAdmin) throw new ApiError('ENTITY_CAN_NOT_BE_DELETED');
    if (typeId === 'Router' && verb !== 'remove') throw routerExists(name);
    const now = unit.caller.clock();
    if (isAdmin) await requireAdministrator(unit.tx, { now, field: 'id', value: id, without: { identityId: id } });
    await unit.affect({ kind: 'endSessions', identityId: id });
  },

  derive,
});

/** Whether JWTs and certificates may no longer name the identity as they did. */
function isNamedOtherwise(next: Identity, previous: Identity): boolean {
  return (['externalId', 'externalIdSignerId'] as const).some((field) => next[field] !== previous[field]);
}

/** @throws 404 when there is no service with one of these ids */
async function refuseUnknownServices(unit: UnitOfWork, ids: readonly string[]): Promise<void> {
  const unknown = await missingOf(unit, 'services', ids);
  if (unknown.length > 0) throw notFound('services', unknown.slice(0, 5).join(', '));
}

/** The ids of services that an identity names. */
function servicesNamed({ serviceHostingCosts, serviceHostingPrecedences }: Identity): string[] {
  return Object.keys({ ...serviceHostingCosts, ...serviceHostingPrecedences });
}
