import type { Semantic } from './plain-roles.ts';
import { selects } from './plain-roles.ts';
import type { World } from './rights-model.ts';
import type { RouterSide, Step, StepOf } from './rights-steps.ts';
import { places, withIds } from './rights-steps.ts';

interface RouterPolicy {
  readonly semantic: Semantic;
  /** Those of identities, or of services. */
  readonly roles: readonly string[];
  readonly edgeRouterRoles: readonly string[];
}

type RouterStep = StepOf<'attributes of a router' | 'router policy'>;
type Send = (method: string, path: string, body?: object) => Promise<{ readonly id: string }>;
type Ids = Readonly<Record<RouterSide, readonly string[]>>;

const sides = {
  identities: { path: '/edge-router-policies', roles: 'identityRoles' },
  services: { path: '/service-edge-router-policies', roles: 'serviceRoles' },
} as const;

const nameOf = (at: number) => `router ${at}`;

/** Edge routers and their policies, and through which routers an identity should reach a service. */
export class RightsRouters {
  readonly #ids: string[] = [];
  readonly #policyIds: Record<RouterSide, string[]> = { identities: [], services: [] };
  /** The role attributes of the routers. */
  #routers: readonly (readonly string[])[] = [];
  #policies: Readonly<Record<RouterSide, readonly RouterPolicy[]>> = { identities: [], services: [] };

  /** At first each router is for all. */
  static async start(send: Send): Promise<RightsRouters> {
    const made = new RightsRouters();
    for (const at of places) {
      made.#ids.push((await send('POST', '/edge-routers', { name: nameOf(at), roleAttributes: ['a'] })).id);
      made.#routers = [...made.#routers, ['a']];
    }
    for (const side of ['identities', 'services'] as const) {
      for (const at of places) {
        const policy: RouterPolicy = { semantic: 'AnyOf', roles: ['#all'], edgeRouterRoles: [`@${at}`] };
        const body = { name: nameOf(at), ...made.#bodyOf(side, policy, []) };
        made.#policyIds[side].push((await send('POST', sides[side].path, body)).id);
        made.#policies = { ...made.#policies, [side]: [...made.#policies[side], policy] };
      }
    }
    return made;
  }

  /** The names of the routers, sorted. */
  namesOf(world: World, { identity, service }: { readonly identity: number; readonly service: number }): string[] {
    const own = { place: identity, held: world.identities[identity]?.roleAttributes ?? [] };
    const reached = { place: service, held: world.services[service] ?? [] };
    const others = this.#given('services', reached);
    return [...this.#given('identities', own)]
      .filter((at) => others.has(at))
      .map(nameOf)
      .toSorted();
  }

  /** `ids`: those of the identities and services now. */
  async apply(step: RouterStep, { send, ids }: { readonly send: Send; readonly ids: Ids }): Promise<void> {
    const { at } = step;
    if (step.kind === 'attributes of a router') {
      this.#routers = this.#routers.with(at, step.roleAttributes);
      await send('PATCH', `/edge-routers/${this.#ids[at]}`, { roleAttributes: step.roleAttributes });
      return;
    }
    const { side, change } = step;
    const policy = { ...this.#policies[side][at], ...change } as RouterPolicy;
    this.#policies = { ...this.#policies, [side]: this.#policies[side].with(at, policy) };
    const path = `${sides[side].path}/${this.#policyIds[side][at]}`;
    await send('PATCH', path, this.#bodyOf(side, policy, ids[side]));
  }

  /** What is deleted is in no roles any more. */
  dropRole(side: RouterSide, at: number): void {
    const policies = this.#policies[side].map((policy) => ({
      ...policy,
      roles: policy.roles.filter((role) => role !== `@${at}`),
    }));
    this.#policies = { ...this.#policies, [side]: policies };
  }

  #bodyOf(side: RouterSide, { semantic, roles, edgeRouterRoles }: RouterPolicy, ids: readonly string[]) {
    return { semantic, [sides[side].roles]: withIds(roles, ids), edgeRouterRoles: withIds(edgeRouterRoles, this.#ids) };
  }

  /** The places of the routers that the policies give to an identity, or to a service. */
  #given(side: RouterSide, entity: Parameters<typeof selects>[2]): Set<number> {
    const own = this.#policies[side].filter(({ roles, semantic }) => selects(roles, semantic, entity));
    const isGiven = (place: number) =>
      own.some(({ edgeRouterRoles, semantic }) =>
        selects(edgeRouterRoles, semantic, { place, held: this.#routers[place] ?? [] }),
      );
    return new Set(places.filter(isGiven));
  }
}

/** Whether a step is about routers. */
export function isOfRouters(step: Step): step is RouterStep {
  return step.kind === 'attributes of a router' || step.kind === 'router policy';
}
