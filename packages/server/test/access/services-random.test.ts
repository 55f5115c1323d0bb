import fc from 'fast-check';
import { expect, it } from 'vitest';
import { startController, storePairs } from '../support/controller.ts';
import type { Semantic } from '../support/plain-roles.ts';
import { selects, someAttributes, someRoles, someSemantic } from '../support/plain-roles.ts';

const api = '/edge/management/v1';
const size = 3;

interface Policy {
  readonly type: 'Dial' | 'Bind';
  readonly semantic: Semantic;
  readonly identityRoles: readonly string[];
  readonly serviceRoles: readonly string[];
}
type Step =
  | { readonly of: 'identities' | 'services'; readonly at: number; readonly roleAttributes: readonly string[] }
  | { readonly of: 'service-policies'; readonly at: number; readonly change: Partial<Policy> };

const at = fc.nat({ max: size - 1 });
const change = fc.record(
  {
    type: fc.constantFrom('Dial' as const, 'Bind' as const),
    semantic: someSemantic,
    identityRoles: someRoles,
    serviceRoles: someRoles,
  },
  { requiredKeys: [] },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ of: fc.constantFrom('identities' as const, 'services' as const), at, roleAttributes: someAttributes }),
  fc.record({ of: fc.constant('service-policies' as const), at, change }),
);

it.each(storePairs)(
  'what identities may dial and bind is what a plain evaluation says, after any changes, on $stores',
  async ({ open }) => {
    await using server = await startController(await open());
    const token = await server.signIn();
    const send = async (method: string, path: string, body?: object) => {
      const { status, text, body: response } = await server.wire(method, api + path, { token, ...(body && { body }) });
      expect(status, text).toBeLessThan(300);
      return response.data;
    };
    const places = Array.from({ length: size }, (_, place) => place);
    const add = (path: string, body: object) =>
      Promise.all(places.map(async (place) => (await send('POST', `/${path}`, { name: `${place}`, ...body })).id));
    const ids = {
      identities: await add('identities', { type: 'User', isAdmin: false }),
      services: await add('services', { encryptionRequired: true }),
      'service-policies': await add('service-policies', { type: 'Dial', semantic: 'AllOf' }),
    };
    const first: Policy = { type: 'Dial', semantic: 'AllOf', identityRoles: [], serviceRoles: [] };
    const policies = places.map(() => first);
    const held = {
      identities: places.map(() => [] as readonly string[]),
      services: places.map(() => [] as readonly string[]),
    };
    const withIds = (list: readonly string[] | undefined, of: 'identities' | 'services') =>
      list?.map((role) => (role.startsWith('@') ? `@${ids[of][Number(role.slice(1))]}` : role));

    const apply = async (next: Step) => {
      const path = `/${next.of}/${ids[next.of][next.at]}`;
      if (next.of !== 'service-policies') {
        held[next.of][next.at] = next.roleAttributes;
        await send('PATCH', path, { roleAttributes: next.roleAttributes });
        return;
      }
      policies[next.at] = { ...policies[next.at]!, ...next.change };
      const { identityRoles, serviceRoles, ...others } = next.change;
      const changed = {
        identityRoles: withIds(identityRoles, 'identities'),
        serviceRoles: withIds(serviceRoles, 'services'),
      };
      await send('PATCH', path, { ...others, ...changed });
    };
    const expected = (type: Policy['type'], identity: number) =>
      places.filter((service) =>
        policies.some(
          (policy) =>
            policy.type === type &&
            selects(policy.identityRoles, policy.semantic, { place: identity, held: held.identities[identity]! }) &&
            selects(policy.serviceRoles, policy.semantic, { place: service, held: held.services[service]! }),
        ),
      );

    const check = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
      for (const next of steps) await apply(next);
      for (const identity of places) {
        for (const type of ['Dial', 'Bind'] as const) {
          const path = `/identities/${ids.identities[identity]}/services?policyType=${type.toLowerCase()}&sort=name`;
          const names = (await send('GET', path)).map(({ name }: { name: string }) => Number(name));
          expect(names).toEqual(expected(type, identity));
        }
      }
    });
    // The world stays as the last run left it: a counterexample cannot be made smaller.
    await fc.assert(check, { numRuns: 25, endOnFailure: true });
  },
);
