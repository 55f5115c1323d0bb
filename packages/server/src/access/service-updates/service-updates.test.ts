import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, inject, it } from 'vitest';
import { entityStores } from '../../../test/support/databases.ts';
import { AuditLog } from '../../audit/audit-log.ts';
import { createEventBus } from '../../core/events/bus.ts';
import { systemClock } from '../../core/time/clock.ts';
import type { Caller } from '../../crud/dependencies.ts';
import type { UnitOfWork } from '../../crud/unit-of-work.ts';
import { inUnitOfWork } from '../../crud/unit-of-work.ts';
import { createEntity, deleteEntity, updateEntity } from '../../crud/write.ts';
import { definitions } from '../../entities/index.ts';
import { JsonSchemas } from '../../entities/json-schemas/json-schemas.ts';
import { ServiceUpdates } from './service-updates.ts';

const host = { protocol: 'tcp', address: 'db', port: 5432 };

type OpenStore = (typeof entityStores)[number]['openStore'];

/** A store with an identity that has the attribute `a`. */
async function open(openStore: OpenStore) {
  const opened = await openStore(inject('postgresUrl'));
  const { store } = opened;
  let offset = 0;
  const events = createEventBus(() => undefined);
  const caller = {
    database: store,
    definitions,
    jsonSchemas: new JsonSchemas(),
    clock: () => systemClock() + offset,
    sessions: { identitiesWithSessions: async () => new Set() },
    outbox: { add: async () => undefined, drain: async () => undefined },
    events,
    audit: new AuditLog({ database: store, events, clock: systemClock, isEnabled: true }),
  } as unknown as Caller;
  const change = <T>(work: (unit: UnitOfWork) => Promise<T>) => inUnitOfWork(caller, work);
  const identity = { type: 'User', isAdmin: false, roleAttributes: ['a'] };
  const policy = { type: 'Dial', semantic: 'AllOf', identityRoles: ['#a'], serviceRoles: ['#x'] };
  let names = 0;
  const add = (
    entity: 'identities' | 'services' | 'servicePolicies' | 'postureChecks' | 'configs',
    body: object = {},
  ) => {
    names += 1;
    const name = `${names}`;
    const bodies = {
      identities: identity,
      services: {},
      servicePolicies: policy,
      postureChecks: { typeId: 'MFA' },
      configs: { data: host, configTypeId: 'NH5p4FpGR' },
    };
    return change((unit) => createEntity(unit, entity, { name, ...bodies[entity], ...body }));
  };
  const id = await add('identities');
  const updates = new ServiceUpdates(store);
  return {
    ...{ store, change, add, id, updates },
    lastChange: () => updates.lastChangeOf(id),
    patch: (entity: Parameters<typeof add>[0], of: string, body: Record<string, unknown>) =>
      change((unit) => updateEntity(unit, entity, { verb: 'patch', id: of, body })),
    setClock: (by: number) => {
      offset = by;
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

/** A change that is written, and not committed before `commit`. */
function opened(
  run: (work: (unit: UnitOfWork) => Promise<void>) => Promise<unknown>,
  work: (unit: UnitOfWork) => Promise<unknown>,
) {
  const written = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const done = run(async (unit) => {
    await work(unit);
    written.resolve();
    await gate.promise;
  });
  done.catch(written.reject);
  return {
    written: written.promise,
    async commit() {
      gate.resolve();
      await done;
    },
  };
}

describe.each(entityStores)('service updates on $database', ({ openStore }) => {
  it('grow although the clock of a controller is set back, and on another controller, too', async () => {
    await using network = await open(openStore);
    const { store, add, patch, id, setClock, lastChange } = network;
    await add('servicePolicies');
    const service = await add('services', { roleAttributes: ['x'] });
    const times = [await lastChange()];
    for (const by of [-3_600_000, 0, -7_200_000, 1_000]) {
      setClock(by);
      await patch('services', service, { tags: { by } });
      times.push(await new ServiceUpdates(store).lastChangeOf(id));
    }
    expect(times).toEqual([...new Set(times)].toSorted((one, other) => one - other));
  });

  it('say nothing of a change that is undone', async () => {
    await using network = await open(openStore);
    const { add, change, lastChange } = network;
    await add('servicePolicies');
    const before = await lastChange();
    const failing = change(async (unit) => {
      await createEntity(unit, 'services', { name: 'never', roleAttributes: ['x'] });
      throw new Error('stop');
    });
    await expect(failing).rejects.toThrow('stop');
    expect(await lastChange()).toBe(before);
  });

  it('keep one waiting change of an subject, however many there were', async () => {
    await using network = await open(openStore);
    const { store, add, lastChange } = network;
    await add('servicePolicies');
    for (let at = 0; at < 5; at += 1) await add('services', { roleAttributes: ['x'] });
    const waiting = () => store.db.selectFrom('subjectChanges').select('subjectId').execute();
    expect(await waiting()).toHaveLength(1);
    await lastChange();
    expect(await waiting()).toEqual([]);
  });

  it('forget an identity that is deleted', async () => {
    await using network = await open(openStore);
    const { store, change, id, patch, lastChange } = network;
    await patch('identities', id, { roleAttributes: ['b'] });
    await lastChange();
    await patch('identities', id, { roleAttributes: ['c'] });
    await change((unit) => deleteEntity(unit, 'identities', id));
    const own = (table: 'subjects' | 'subjectChanges', column: 'id' | 'subjectId') =>
      store.db
        .selectFrom(table)
        .select(column as 'id')
        .where(column as 'id', '=', id as never)
        .execute();
    expect([await own('subjects', 'id'), await own('subjectChanges', 'subjectId')]).toEqual([[], []]);
  });

  it('are not lost when many changes and questions come at once', async () => {
    await using network = await open(openStore);
    const { store, add, patch, lastChange } = network;
    const policy = await add('servicePolicies');
    const services = await Promise.all(Array.from({ length: 4 }, () => add('services')));
    const [config, check] = [await add('configs'), await add('postureChecks')];
    const changes = services.flatMap((service, at) => [
      patch('services', service, { roleAttributes: ['x'], configs: [config], tags: { at } }),
      lastChange(),
      patch('servicePolicies', policy, { type: at % 2 ? 'Bind' : 'Dial', serviceRoles: ['#x', `@${service}`] }),
      patch('configs', config, { data: { ...host, port: 1 + at } }),
      patch('postureChecks', check, { typeId: 'MFA', timeoutSeconds: at }),
      patch('services', service, { roleAttributes: at % 2 ? ['x'] : ['y'], tags: {} }),
      lastChange(),
      add('services', { roleAttributes: ['x'] }),
    ]);
    await Promise.all(changes);
    await lastChange();
    expect(await store.db.selectFrom('subjectChanges').select('id').execute()).toEqual([]);
  });
});

const postgres = entityStores.filter(({ database }) => database === 'PostgreSQL');

describe.each(postgres)('service updates between changes at the same time on $database', ({ openStore }) => {
  it('move for a change that began before a later one was read', async () => {
    await using network = await open(openStore);
    const { add, change, lastChange } = network;
    await add('servicePolicies');
    const early = opened(change, (unit) => createEntity(unit, 'services', { name: 'early', roleAttributes: ['x'] }));
    await early.written;
    const before = await lastChange();
    await sleep(5);
    await add('services', { roleAttributes: ['x'] });
    const late = await lastChange();
    expect(late).toBeGreaterThan(before);
    await early.commit();
    expect(await lastChange()).toBeGreaterThan(late);
  });

  it('move for a change that found another one waiting, which is read before its commit', async () => {
    await using network = await open(openStore);
    const { add, change, lastChange } = network;
    await add('servicePolicies');
    await add('services', { roleAttributes: ['x'] });
    const second = opened(change, (unit) => createEntity(unit, 'services', { name: 'second', roleAttributes: ['x'] }));
    await second.written;
    const before = await lastChange();
    await second.commit();
    const after = await lastChange();
    expect(after).toBeGreaterThan(before);
    expect(await lastChange()).toBe(after);
  });

  it.each([
    ['servicePolicies', { serviceRoles: ['#x'] }, { roleAttributes: ['x'] }, { serviceRoles: ['#none'] }],
    ['services', { roleAttributes: ['x'] }, {}, {}],
  ] as const)(
    'move when an identity loses what %s give it at the same time',
    async (changing, body, service, policy) => {
      await using network = await open(openStore);
      const { add, change, patch, id, lastChange } = network;
      const ids = { services: await add('services', service), servicePolicies: await add('servicePolicies', policy) };
      const before = await lastChange();
      const early = opened(change, (unit) => updateEntity(unit, changing, { verb: 'patch', id: ids[changing], body }));
      await early.written;
      const losing = patch('identities', id, { roleAttributes: [] });
      await sleep(50);
      await early.commit();
      await losing;
      expect(await lastChange()).toBeGreaterThan(before);
    },
  );

  it.each([
    ['services', 'postureChecks'],
    ['postureChecks', 'services'],
  ] as const)('move when a policy begins to select %s that change at the same time', async (changing, other) => {
    await using network = await open(openStore);
    const { add, change, patch, lastChange } = network;
    const roles = { services: 'serviceRoles', postureChecks: 'postureCheckRoles' };
    const policy = await add('servicePolicies', { serviceRoles: ['#none'], postureCheckRoles: ['#none'] });
    await add(other, { roleAttributes: ['none'] });
    const entity = await add(changing);
    const body = { typeId: 'MFA', roleAttributes: ['new'] };
    const early = opened(change, (unit) => updateEntity(unit, changing, { verb: 'patch', id: entity, body }));
    await early.written;
    const selecting = patch('servicePolicies', policy, { [roles[changing]]: ['#new'] });
    await sleep(50);
    const before = await lastChange();
    await early.commit();
    await selecting;
    expect(await lastChange()).toBeGreaterThan(before);
  });
});
