import type { managementApi } from '@edge-controller/shared-types';
import { markAssigned } from '../../access/service-updates/mark-assigned.ts';
import { notFound } from '../../core/api-error.ts';
import { isoTime } from '../../core/time/clock.ts';
import { authorize } from '../../crud/authorize.ts';
import { lockState } from '../../crud/read.ts';
import { readRefs } from '../../crud/read-refs.ts';
import { recordChange } from '../../crud/record-change.ts';
import { missingOf } from '../../crud/references.ts';
import type { UnitOfWork } from '../../crud/unit-of-work.ts';
import { inUnitOfWork } from '../../crud/unit-of-work.ts';
import type { EntityStore } from '../../storage/entity-store/entity-store.ts';
import { readConfigsFor } from '../check-configs.ts';
import type { Caller, Handlers } from '../dependencies.ts';

type Identities = Handlers<typeof managementApi>['identities'];

/** The config that an identity has for a service. */
interface Assigned {
  readonly serviceId: string;
  readonly configId: string;
}

/** An identity has at most one config of a type for a service: a second one replaces it, and a removal takes any of the type. */
export const serviceConfigs: Pick<Identities, 'serviceConfigs' | 'assignServiceConfigs' | 'removeServiceConfigs'> = {
  async serviceConfigs(call, { params: { id } }) {
    const identities = await readRefs(call, 'identities', [id]);
    if (!identities.has(id)) throw notFound('identity', id);
    const assigned = await readAssigned(call.database.db, id);
    const [services, configs] = await Promise.all([
      readRefs(call, 'services', idsOf(assigned, 'serviceId')),
      readRefs(call, 'configs', idsOf(assigned, 'configId')),
    ]);
    const details = assigned.flatMap((one) => {
      const [service, config] = [services.get(one.serviceId), configs.get(one.configId)];
      return service && config ? [{ ...one, service, config }] : [];
    });
    return { batches: [details], pagination: { limit: details.length, offset: 0, totalCount: details.length } };
  },

  assignServiceConfigs: (call, { params: { id }, body }) =>
    inUnitOfWork(call, (unit) =>
      change(unit, id, body, async () => {
        await readConfigsFor(unit, 'service', { field: 'configId', ids: idsOf(body, 'configId') });
        for (const one of body) {
          await remove(unit, id, one);
          await unit.tx
            .insertInto('identities_serviceConfigs')
            .values({ ownerId: id, ...one })
            .execute();
        }
      }),
    ),

  removeServiceConfigs: (call, { params: { id }, body }) =>
    inUnitOfWork(call, (unit) =>
      change(unit, id, body, async () => {
        for (const one of body) await remove(unit, id, one);
      }),
    ),
};

/** Removes the config of the same type that an identity has for the service. */
async function remove({ tx }: UnitOfWork, identityId: string, { serviceId, configId }: Assigned): Promise<void> {
  await tx
    .deleteFrom('identities_serviceConfigs')
    .where('ownerId', '=', identityId)
    .where('serviceId', '=', serviceId)
    .where('configId', 'in', (configs) =>
      configs
        .selectFrom('configs')
        .select('id')
        .where('configTypeId', '=', (own) =>
          own.selectFrom('configs').select('configTypeId').where('id', '=', configId),
        ),
    )
    .execute();
}

/** @throws 404 when the identity, a service or a config does not exist */
async function change(
  unit: UnitOfWork<Caller>,
  id: string,
  named: readonly Assigned[],
  run: () => Promise<void>,
): Promise<void> {
  const { tx, caller } = unit;
  const { identities } = caller.definitions;
  const state = await lockState(unit, identities, id);
  await authorize({ unit, verb: 'set', body: {} }, identities, { previous: state, next: state });
  await refuseUnknown(unit, 'services', idsOf(named, 'serviceId'));
  await refuseUnknown(unit, 'configs', idsOf(named, 'configId'));
  const before = await readAssigned(tx, id);
  await run();
  const after = await readAssigned(tx, id);
  const updatedAt = isoTime(caller.clock());
  await tx.updateTable('identities').set({ updatedAt }).where('id', '=', id).execute();
  await markAssigned(unit, id, { before, after });
  recordChange(unit, identities, {
    ...{ eventType: 'updated', id },
    previous: { ...state, serviceConfigs: before },
    next: { ...state, updatedAt, serviceConfigs: after },
  });
}

async function refuseUnknown(unit: UnitOfWork, name: 'services' | 'configs', ids: readonly string[]): Promise<void> {
  const missing = await missingOf(unit, name, ids);
  if (missing.length > 0) throw notFound(name, missing.join(', '));
}

function readAssigned(db: EntityStore['db'], identityId: string): Promise<Assigned[]> {
  return db
    .selectFrom('identities_serviceConfigs')
    .select(['serviceId', 'configId'])
    .where('ownerId', '=', identityId)
    .orderBy('serviceId')
    .orderBy('configId')
    .execute();
}

function idsOf(assigned: readonly Assigned[], member: keyof Assigned): string[] {
  return [...new Set(assigned.map((one) => one[member]))];
}
