import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startController, storePairs } from '../support/controller.ts';
import type { Semantic } from '../support/plain-roles.ts';
import { someAttributes, someRoles } from '../support/plain-roles.ts';

const api = '/edge/management/v1';
const client = '/edge/client/v1';
const places = [0, 1, 2];

interface Policy {
  readonly type: 'Dial' | 'Bind';
  readonly semantic: Semantic;
  readonly identityRoles: readonly string[];
  readonly serviceRoles: readonly string[];
  readonly postureCheckRoles: readonly string[];
}
interface Service {
  readonly roleAttributes: readonly string[];
  /** Their places. */
  readonly configs: readonly number[];
}
type Step =
  | { readonly of: 'identities' | 'checks'; readonly at: number; readonly roleAttributes: readonly string[] }
  | { readonly of: 'services'; readonly at: number; readonly change: Service }
  | { readonly of: 'policies'; readonly at: number; readonly change: Partial<Policy> }
  | { readonly of: 'configs'; readonly at: number; readonly value: number }
  | { readonly of: 'assigned'; readonly at: number; readonly pair: string; readonly isOn: boolean }
  | { readonly of: 'new services' | 'new policies'; readonly at: number };
/** `asks`: the clients ask for their updates after the step. They always read their services. */
type AskedStep = Step & { readonly asks: boolean };

const at = fc.constantFrom(...places);
const change = fc.record(
  {
    type: fc.constantFrom('Dial' as const, 'Bind' as const),
    semantic: fc.constantFrom('AllOf' as const, 'AnyOf' as const),
    identityRoles: someRoles,
    serviceRoles: someRoles,
    postureCheckRoles: someRoles,
  },
  { requiredKeys: [] },
);
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ of: fc.constantFrom('identities' as const, 'checks' as const), at, roleAttributes: someAttributes }),
  fc.record({
    of: fc.constant('services' as const),
    at,
    change: fc.record({ roleAttributes: someAttributes, configs: fc.subarray(places) }),
  }),
  { arbitrary: fc.record({ of: fc.constant('policies' as const), at, change }), weight: 2 },
  fc.record({ of: fc.constant('configs' as const), at, value: fc.nat({ max: 1 }) }),
  fc.record({
    of: fc.constant('assigned' as const),
    at,
    pair: fc.tuple(at, at).map((pair) => pair.join(' ')),
    isOn: fc.boolean(),
  }),
  fc.record({ of: fc.constantFrom('new services' as const, 'new policies' as const), at }),
);

const step = fc.tuple(anyStep, fc.boolean()).map(([one, asks]): AskedStep => ({ ...one, asks }));

const noPolicy: Policy = {
  type: 'Dial',
  semantic: 'AllOf',
  identityRoles: [],
  serviceRoles: [],
  postureCheckRoles: [],
};
it.each(storePairs)(
  'service updates move exactly when the list of the services changes, whatever else changes, on $stores',
  async ({ open }) => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const send = async (method: string, path: string, body?: object) => {
      const { status, text, body: response } = await server.wire(method, api + path, { token, ...(body && { body }) });
      expect(status, text).toBeLessThan(300);
      return response.data;
    };
    let names = 0;
    const add = async (path: string, body: object): Promise<string> => {
      names += 1;
      return (await send('POST', path, { name: `${names}`, ...body })).id;
    };
    const all = (make: () => Promise<string>) => Promise.all(places.map(make));
    const newService = () => add('/services', { encryptionRequired: true });
    const newPolicy = () => add('/service-policies', { ...noPolicy });
    const users = await Promise.all(places.map(() => server.addUser(token)));
    const tokens = await Promise.all(
      users.map(async ({ username, password }) => {
        const body = { username, password, configTypes: ['all'] };
        return (await server.wire('POST', `${client}/authenticate?method=password`, { body })).body.data
          .token as string;
      }),
    );
    const ids = {
      identities: users.map(({ id }) => id),
      services: await all(newService),
      policies: await all(newPolicy),
      checks: await all(() => add('/posture-checks', { typeId: 'MFA' })),
      configs: await all(async () =>
        add('/configs', { data: { value: 0 }, configTypeId: await add('/config-types', {}) }),
      ),
    };
    const paths = { identities: '/identities', checks: '/posture-checks' };
    const withIds = (roles: readonly string[] | undefined, of: keyof typeof ids) =>
      roles?.map((role) => (role.startsWith('@') ? `@${ids[of][Number(role.slice(1))]}` : role));

    const apply = async (next: Step) => {
      if (next.of === 'identities' || next.of === 'checks') {
        const body = { typeId: next.of === 'checks' ? 'MFA' : undefined, roleAttributes: next.roleAttributes };
        return await send('PATCH', `${paths[next.of]}/${ids[next.of][next.at]}`, body);
      }
      if (next.of === 'services') {
        const { roleAttributes, configs } = next.change;
        const body = { roleAttributes, configs: configs.map((place) => ids.configs[place]) };
        return await send('PATCH', `/services/${ids.services[next.at]}`, body);
      }
      if (next.of === 'configs')
        return await send('PATCH', `/configs/${ids.configs[next.at]}`, { data: { value: next.value } });
      if (next.of === 'assigned') {
        const [service, config] = next.pair.split(' ').map(Number);
        const pair = { serviceId: ids.services[service!], configId: ids.configs[config!] };
        const path = `/identities/${ids.identities[next.at]}/service-configs`;
        return await send(next.isOn ? 'POST' : 'DELETE', path, [pair]);
      }
      if (next.of === 'policies') {
        const { identityRoles, serviceRoles, postureCheckRoles, ...others } = next.change;
        return await send('PATCH', `/service-policies/${ids.policies[next.at]}`, {
          ...others,
          identityRoles: withIds(identityRoles, 'identities'),
          serviceRoles: withIds(serviceRoles, 'services'),
          postureCheckRoles: withIds(postureCheckRoles, 'checks'),
        });
      }
      if (next.of === 'new services') {
        await send('DELETE', `/services/${ids.services[next.at]}`);
        ids.services[next.at] = await newService();
      } else {
        await send('DELETE', `/service-policies/${ids.policies[next.at]}`);
        ids.policies[next.at] = await newPolicy();
      }
    };
    const readLists = () =>
      Promise.all(
        tokens.map(
          async (own) => (await server.wire('GET', `${client}/services?sort=id&limit=500`, { token: own })).text,
        ),
      );
    const readTimes = () =>
      Promise.all(
        tokens.map(async (own) => {
          const updates = await server.wire('GET', `${client}/current-api-session/service-updates`, { token: own });
          return Date.parse(updates.body.data.lastChangeAt);
        }),
      );

    let [times, lists] = [await readTimes(), await readLists()];
    let changed = new Set<number>();
    const log: Step[] = [];
    const check = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      for (const next of steps) {
        await apply(next);
        log.push(next);
        const now = await readLists();
        for (const place of places) if (now[place] !== lists[place]) changed.add(place);
        lists = now;
        if (!next.asks) continue;
        const later = await readTimes();
        const moved = places.filter((place) => later[place]! > times[place]!);
        expect(places.filter((place) => later[place]! < times[place]!)).toEqual([]);
        expect(moved, JSON.stringify(log.slice(-12))).toEqual([...changed].toSorted());
        [times, changed] = [later, new Set()];
      }
    });
    // The world stays as the last run left it: a counterexample cannot be made smaller.
    await fc.assert(check, { numRuns: 40, endOnFailure: true });
  },
);
