import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startController, storePairs } from './support/controller.ts';
import type { Semantic } from './support/plain-roles.ts';
import { selects, someAttributes, someRoles } from './support/plain-roles.ts';

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
interface World {
  readonly identities: readonly (readonly string[])[];
  readonly services: readonly Service[];
  readonly checks: readonly (readonly string[])[];
  readonly policies: readonly Policy[];
  readonly configs: readonly number[];
  /** By identity: `service config`, as places. */
  readonly assigned: readonly (readonly string[])[];
}
type Step =
  | { readonly of: 'identities' | 'checks'; readonly at: number; readonly roleAttributes: readonly string[] }
  | { readonly of: 'services'; readonly at: number; readonly change: Service }
  | { readonly of: 'policies'; readonly at: number; readonly change: Partial<Policy> }
  | { readonly of: 'configs'; readonly at: number; readonly value: number }
  | { readonly of: 'assigned'; readonly at: number; readonly pair: string; readonly isOn: boolean }
  | { readonly of: 'new services' | 'new policies'; readonly at: number };

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
const step: fc.Arbitrary<Step> = fc.oneof(
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

const noPolicy: Policy = {
  type: 'Dial',
  semantic: 'AllOf',
  identityRoles: [],
  serviceRoles: [],
  postureCheckRoles: [],
};
const noService: Service = { roleAttributes: [], configs: [] };
const first: World = {
  identities: places.map(() => []),
  services: places.map(() => noService),
  checks: places.map(() => []),
  policies: places.map(() => noPolicy),
  configs: places.map(() => 0),
  assigned: places.map(() => []),
};

/** The world after a step. */
function worldAfter(world: World, next: Step): World {
  if (next.of === 'identities' || next.of === 'checks')
    return { ...world, [next.of]: world[next.of].with(next.at, next.roleAttributes) };
  if (next.of === 'services') return { ...world, services: world.services.with(next.at, next.change) };
  if (next.of === 'configs') return { ...world, configs: world.configs.with(next.at, next.value) };
  if (next.of === 'new policies') return { ...world, policies: world.policies.with(next.at, noPolicy) };
  if (next.of === 'policies') {
    const policy = { ...world.policies[next.at]!, ...next.change };
    return { ...world, policies: world.policies.with(next.at, policy) };
  }
  if (next.of === 'assigned') {
    const others = world.assigned[next.at]!.filter((pair) => pair !== next.pair);
    const pairs = next.isOn ? [...others, next.pair].toSorted() : others;
    return { ...world, assigned: world.assigned.with(next.at, pairs) };
  }
  return {
    ...world,
    services: world.services.with(next.at, noService),
    policies: world.policies.map((policy) => ({
      ...policy,
      serviceRoles: policy.serviceRoles.filter((role) => role !== `@${next.at}`),
    })),
    assigned: world.assigned.map((pairs) => pairs.filter((pair) => !pair.startsWith(`${next.at} `))),
  };
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The identities that a step concerns in the world before or after it. */
function concernedIn(world: World, next: Step, { isChange }: { isChange: boolean }): readonly number[] {
  const { policies, services } = world;
  const ofPolicy = ({ identityRoles, semantic }: Policy) =>
    places.filter((place) => selects(identityRoles, semantic, { place, held: world.identities[place]! }));
  const withService = (place: number) =>
    policies.filter((one) => selects(one.serviceRoles, one.semantic, { place, held: services[place]!.roleAttributes }));
  const withCheck = (one: Policy, place: number) =>
    selects(one.postureCheckRoles, one.semantic, { place, held: world.checks[place]! });
  if (next.of === 'services' || next.of === 'new services') return withService(next.at).flatMap(ofPolicy);
  if (next.of === 'new policies') return ofPolicy(policies[next.at]!);
  if (next.of === 'checks') return policies.filter((one) => withCheck(one, next.at)).flatMap(ofPolicy);
  if (!isChange) return [];
  if (next.of === 'identities' || next.of === 'assigned') return [next.at];
  if (next.of === 'policies') return ofPolicy(policies[next.at]!);
  const shown = places.filter((place) => services[place]!.configs.includes(next.at));
  const assigned = places.filter((place) => world.assigned[place]!.some((pair) => pair.endsWith(` ${next.at}`)));
  return [...shown.flatMap(withService).flatMap(ofPolicy), ...assigned];
}

it.each(storePairs)(
  'service updates move for exactly those whom a change concerns, whatever changes, on $stores',
  { timeout: 180_000 },
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
    const read = () =>
      Promise.all(
        tokens.map(async (own) => {
          const updates = await server.wire('GET', `${client}/current-api-session/service-updates`, { token: own });
          const { text } = await server.wire('GET', `${client}/services?sort=id&limit=500`, { token: own });
          return { at: Date.parse(updates.body.data.lastChangeAt), text };
        }),
      );

    let world = first;
    let before = await read();
    const check = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      for (const next of steps) {
        const changed = worldAfter(world, next);
        const isChange = !isSame(world, changed);
        const concerned = [world, changed].flatMap((one) => concernedIn(one, next, { isChange }));
        await apply(next);
        world = changed;
        const after = await read();
        const moved = places.filter((place) => after[place]!.at > before[place]!.at);
        const differing = places.filter((place) => after[place]!.text !== before[place]!.text);
        expect(places.filter((place) => after[place]!.at < before[place]!.at)).toEqual([]);
        expect(moved, JSON.stringify(next)).toEqual([...new Set(concerned)].toSorted());
        expect(moved, JSON.stringify(next)).toEqual(expect.arrayContaining(differing));
        before = after;
      }
    });
    // The world stays as the last run left it: a counterexample cannot be made smaller.
    await fc.assert(check, { numRuns: 20, endOnFailure: true });
  },
);
