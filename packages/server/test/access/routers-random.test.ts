import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Dependencies } from '../../src/crud/dependencies.ts';
import { definitions } from '../../src/entities/index.ts';
import { readRouterAdvice } from '../../src/entities/routers/router-advice.ts';
import { RouterNetwork } from '../../src/network/router-connections/router-network.ts';
import { createAlone } from '../../src/storage/peers/alone.ts';
import { startController, storePairs } from '../support/controller.ts';
import { openEntities } from '../support/databases.ts';
import { selects, someAttributes, someRoles, someSemantic } from '../support/plain-roles.ts';
import { sql } from '../support/sql.ts';

const management = '/edge/management/v1';
const client = '/edge/client/v1';
const size = 3;

const policies = {
  'edge-router-policies': { of: 'identities', roles: 'identityRoles' },
  'service-edge-router-policies': { of: 'services', roles: 'serviceRoles' },
} as const;
type Policies = keyof typeof policies;
type Entities = 'identities' | 'services' | 'edge-routers';

interface Policy {
  readonly semantic: 'AllOf' | 'AnyOf';
  /** Of identities or services. */
  readonly roles: readonly string[];
  readonly edgeRouterRoles: readonly string[];
}
type Step =
  | { readonly of: Entities; readonly at: number; readonly roleAttributes: readonly string[] }
  | { readonly of: Policies; readonly at: number; readonly change: Partial<Policy> };

const at = fc.nat({ max: size - 1 });
const change = fc.record(
  { semantic: someSemantic, roles: someRoles, edgeRouterRoles: someRoles },
  { requiredKeys: [] },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    of: fc.constantFrom('identities' as const, 'services' as const, 'edge-routers' as const),
    ...{ at, roleAttributes: someAttributes },
  }),
  fc.record({
    of: fc.constantFrom('edge-router-policies' as const, 'service-edge-router-policies' as const),
    ...{ at, change },
  }),
);

it.each(storePairs)(
  'the routers of identities, of services, and of both are what a plain evaluation says, after any changes, on $stores',
  async ({ open }) => {
    await using server = await startController(await open());
    await using opened = await openEntities(server.options);
    const routerNetwork = new RouterNetwork(createAlone(), () => []);
    const dependencies = { database: opened.store, definitions, routerNetwork } as unknown as Dependencies & {
      routerNetwork: RouterNetwork;
    };
    const token = await server.signIn();
    const send = async (method: string, path: string, options: { body?: object; token?: string } = {}) => {
      const { status, text, body } = await server.wire(method, path, { token, ...options });
      expect(status, text).toBeLessThan(300);
      return body.data;
    };
    const places = Array.from({ length: size }, (_, place) => place);
    const add = async (path: string, body: object) =>
      await Promise.all(
        places.map(async (place) => {
          const created = await send('POST', `${management}/${path}`, { body: { name: `${place}`, ...body } });
          return created.id as string;
        }),
      );
    const users = await Promise.all(places.map(() => server.addUser(token)));
    const tokens = await Promise.all(users.map((user) => server.signIn(user)));
    const ids = {
      identities: users.map(({ id }) => id),
      services: await add('services', { encryptionRequired: true }),
      'edge-routers': await add('edge-routers', {}),
      'edge-router-policies': await add('edge-router-policies', { semantic: 'AllOf' }),
      'service-edge-router-policies': await add('service-edge-router-policies', { semantic: 'AllOf' }),
    };
    await add('service-policies', { type: 'Dial', semantic: 'AnyOf', identityRoles: ['#all'], serviceRoles: ['#all'] });
    // The last router has not enrolled. It counts as a router of services.
    await sql(server, `update "edgeRouters" set "isVerified" = 1 where "name" < '2'`);

    const first: Policy = { semantic: 'AllOf', roles: [], edgeRouterRoles: [] };
    const known = {
      'edge-router-policies': places.map(() => first),
      'service-edge-router-policies': places.map(() => first),
    };
    const none = () => places.map(() => [] as readonly string[]);
    const held = { identities: none(), services: none(), 'edge-routers': none() };
    const withIds = (list: readonly string[] | undefined, of: Entities) =>
      list?.map((role) => (role.startsWith('@') ? `@${ids[of][Number(role.slice(1))]}` : role));

    const apply = async (next: Step) => {
      const path = `${management}/${next.of}/${ids[next.of][next.at]}`;
      if ('roleAttributes' in next) {
        held[next.of][next.at] = next.roleAttributes;
        await send('PATCH', path, { body: { roleAttributes: next.roleAttributes } });
        return;
      }
      const { of, roles: field } = policies[next.of];
      known[next.of][next.at] = { ...known[next.of][next.at]!, ...next.change };
      const { roles: own, edgeRouterRoles, ...others } = next.change;
      const changed = { [field]: withIds(own, of), edgeRouterRoles: withIds(edgeRouterRoles, 'edge-routers') };
      await send('PATCH', path, { body: { ...others, ...changed } });
    };
    const routersOf = (name: Policies, place: number) =>
      places.filter((router) =>
        known[name].some(
          (policy) =>
            selects(policy.roles, policy.semantic, { place, held: held[policies[name].of][place]! }) &&
            selects(policy.edgeRouterRoles, policy.semantic, { place: router, held: held['edge-routers'][router]! }),
        ),
      );
    const namesOf = (rows: readonly { readonly name: string }[]) => rows.map(({ name }) => Number(name));
    const listed = async (path: string, caller = token) =>
      namesOf(await send('GET', `${path}?sort=name`, { token: caller }));

    const adviceOf = (router: number) =>
      expect.objectContaining({
        ...{ entity: 'edge-routers', id: ids['edge-routers'][router], name: `${router}`, isOnline: false },
      });

    const check = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      for (const next of steps) await apply(next);
      const ofServices = places.map((service) => routersOf('service-edge-router-policies', service));
      for (const place of places) {
        const own = routersOf('edge-router-policies', place);
        expect(await listed(`${management}/identities/${ids.identities[place]}/edge-routers`)).toEqual(own);
        expect(await listed(`${management}/services/${ids.services[place]}/edge-routers`)).toEqual(ofServices[place]);
        const enrolled = own.filter((router) => router < 2);
        expect(await listed(`${client}/current-identity/edge-routers`, tokens[place])).toEqual(enrolled);
        for (const service of places) {
          const path = `${client}/services/${ids.services[service]}/edge-routers`;
          const { edgeRouters } = await send('GET', path, { token: tokens[place]! });
          const common = own.filter((router) => ofServices[service]!.includes(router));
          expect(namesOf(edgeRouters)).toEqual(common);
          const members = { identityId: ids.identities[place]!, serviceId: ids.services[service]! };
          expect(await readRouterAdvice(dependencies, members)).toEqual({
            ...{ identityRouterCount: own.length, serviceRouterCount: ofServices[service]!.length },
            commonRouters: common.length === 0 ? null : common.map(adviceOf),
          });
        }
      }
    });
    // The world stays as the last run left it: a counterexample cannot be made smaller.
    await fc.assert(check, { numRuns: 25, endOnFailure: true });
  },
);
