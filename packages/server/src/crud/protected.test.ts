import { expect, inject, it } from 'vitest';
import { entityStores } from '../../test/support/databases.ts';
import { AuditLog } from '../audit/audit-log.ts';
import { createEventBus } from '../core/events/bus.ts';
import { systemClock } from '../core/time/clock.ts';
import { definitions } from '../entities/index.ts';
import type { Caller } from './dependencies.ts';
import { readEntities } from './read-entities.ts';
import { inUnitOfWork } from './unit-of-work.ts';
import { createEntity, deleteEntity, removeEntity, setFields, updateEntity } from './write.ts';

const name = 'edgeRouterPolicies';

it.each(entityStores)(
  'only the controller changes and removes a protected entity on $database',
  async ({ openStore }) => {
    await using opened = await openStore(inject('postgresUrl'));
    const events = createEventBus(() => undefined);
    const caller = {
      ...{ database: opened.store, definitions, clock: systemClock },
      ...{ outbox: { add: async () => undefined, drain: async () => undefined }, events },
      audit: new AuditLog({ database: opened.store, events, clock: systemClock, isEnabled: true }),
    } as unknown as Caller;
    const body = { name: 'made', semantic: 'AnyOf', isSystem: true };
    const id = await inUnitOfWork(caller, (unit) => createEntity(unit, name, body, { fields: { isSystem: true } }));
    const other = await inUnitOfWork(caller, (unit) => createEntity(unit, name, { ...body, name: 'other' }));
    for (const verb of ['update', 'patch'] as const) {
      const change = { name: 'changed', semantic: 'AllOf' };
      await inUnitOfWork(caller, (unit) => updateEntity(unit, name, { verb, id: other, body: change }));
      const refused = inUnitOfWork(caller, (unit) => updateEntity(unit, name, { verb, id, body: change }));
      await expect(refused).rejects.toMatchObject({ code: 'ENTITY_CAN_NOT_BE_UPDATED' });
    }
    const refused = inUnitOfWork(caller, (unit) => deleteEntity(unit, name, id));
    await expect(refused).rejects.toMatchObject({ code: 'ENTITY_CAN_NOT_BE_DELETED' });
    expect(await readEntities(caller, name, [id])).toMatchObject([{ name: 'made', semantic: 'AnyOf', isSystem: true }]);

    await inUnitOfWork(caller, (unit) => setFields(unit, name, id, () => ({ name: 'renamed' })));
    expect(await readEntities(caller, name, [id])).toMatchObject([{ name: 'renamed', isSystem: true }]);
    await inUnitOfWork(caller, (unit) => removeEntity(unit, name, id));
    await inUnitOfWork(caller, (unit) => deleteEntity(unit, name, other));
    expect(await readEntities(caller, name, [id, other])).toEqual([]);
  },
);
