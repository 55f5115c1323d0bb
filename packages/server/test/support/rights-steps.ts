import fc from 'fast-check';
import { someAttributes, someRoles, someSemantic } from './plain-roles.ts';
import type { ModelPolicy, ModelSession, Wanted } from './rights-model.ts';
import { sessionTypes } from './rights-model.ts';

export const places = [0, 1, 2];
/** Two of each identity. */
export const apiSessionPlaces = [...places, ...places].keys().toArray();
export const checkPlaces = [0, 1, 2, 3];
export const allSessions: readonly ModelSession[] = apiSessionPlaces.flatMap((apiSession) =>
  places.flatMap((service) => sessionTypes.map((type) => ({ apiSession, service, type }))),
);

const place = fc.constantFrom(...places);
const apiSession = fc.constantFrom(...apiSessionPlaces);
const check = fc.constantFrom(...checkPlaces);
const seconds = fc.integer({ min: 1, max: 700 });
const of = <K extends string>(kind: K) => ({ kind: fc.constant(kind) });

/** Each service has a policy of its own at first: so there are many rights, and each can be lost. */
export function newPolicy(at: number): ModelPolicy {
  return {
    ...{ type: at === 1 ? 'Bind' : 'Dial', semantic: 'AllOf', identityRoles: ['#a'], serviceRoles: [`@${at}`] },
    postureCheckRoles: [[], ['@0'], ['@3']][at] ?? [],
  };
}

const policyChange: fc.Arbitrary<Partial<ModelPolicy>> = fc.oneof(
  fc.record({ type: fc.constantFrom(...sessionTypes) }),
  fc.record({ semantic: someSemantic }),
  fc.record({ identityRoles: someRoles }),
  fc.record({ serviceRoles: someRoles }),
  fc.record({ postureCheckRoles: fc.subarray(['#a', '@0', '@1', '@2', '@3'], { maxLength: 1 }) }),
);
/** What a policy of edge routers gives routers to. */
export type RouterSide = 'identities' | 'services';

const routerPolicyChange = fc.oneof(
  fc.record({ semantic: someSemantic }),
  fc.record({ roles: fc.oneof(someRoles, fc.constant(['#all'])) }),
  fc.record({ edgeRouterRoles: fc.oneof(someRoles, fc.constant(['#all'])) }),
);
/** Role attributes with which a policy selects an entity, in most cases. */
const attributes = fc.oneof(someAttributes, fc.constant(['a', 'b']));

/** One change of a kind. `at`: the place of what it changes. */
export const someStep = fc.oneof(
  fc.record({ ...of('attributes of an identity'), at: place, roleAttributes: attributes }),
  fc.record({ ...of('attributes of a service'), at: place, roleAttributes: attributes }),
  fc.record({ ...of('attributes of a check'), at: check, roleAttributes: someAttributes }),
  fc.record({ ...of('policy'), at: place, change: policyChange }),
  {
    weight: 2,
    arbitrary: fc.record({ ...of('check'), at: check, value: fc.nat({ max: 3 }), promptOnWake: fc.boolean() }),
  },
  fc.record({ ...of('attributes of a router'), at: place, roleAttributes: attributes }),
  {
    weight: 2,
    arbitrary: fc.record({
      ...of('router policy'),
      side: fc.constantFrom<RouterSide>('identities', 'services'),
      at: place,
      change: routerPolicyChange,
    }),
  },
  fc.record({ ...of('new policy'), at: place }),
  fc.record({ ...of('new check'), at: check }),
  fc.record({ ...of('new service'), at: place }),
  fc.record({ ...of('new identity'), at: place }),
  {
    weight: 7,
    arbitrary: fc.record({ ...of('response'), at: apiSession, check, value: fc.constantFrom(0, 1, 2, 2, 2) }),
  },
  { weight: 2, arbitrary: fc.record({ ...of('code'), at: apiSession }) },
  fc.record({ ...of('TOTP'), at: apiSession }),
  fc.record({ ...of('end of a session'), at: fc.nat({ max: 20 }), byOwner: fc.boolean() }),
  fc.record({ ...of('sign-out'), at: apiSession }),
  { weight: 2, arbitrary: fc.record({ ...of('time'), seconds }) },
);

export type Step = typeof someStep extends fc.Arbitrary<infer S> ? S : never;
export type StepOf<K extends Step['kind']> = Extract<Step, { kind: K }>;

/** Those that change nothing but what posture checks say. */
export const ofPosture = new Set<Step['kind']>(['response', 'code', 'time']);

export const domains = ['d0', 'd1', 'd2'];
export const firstChecks: readonly Wanted[] = [
  { typeId: 'DOMAIN', domains },
  { typeId: 'OS', least: 1 },
  { typeId: 'PROCESS' },
  { typeId: 'MFA', timeoutSeconds: 300, promptOnWake: false },
];
/** A check as the Management API takes it. */
export function bodyOf(wanted: Wanted): object {
  const { typeId } = wanted;
  if (typeId === 'DOMAIN') return wanted;
  if (typeId === 'OS') return { typeId, operatingSystems: [{ type: 'Linux', versions: [`>=${wanted.least}.0.0`] }] };
  if (typeId === 'PROCESS') return { typeId, process: { osType: 'Linux', path: '/p' } };
  const { timeoutSeconds, promptOnWake } = wanted;
  return { typeId, timeoutSeconds, promptOnWake };
}

/** What the check at a place wants next. */
export function wantedOf({ at, value, promptOnWake }: StepOf<'check'>): Wanted {
  const first = firstChecks[at]!;
  if (first.typeId === 'DOMAIN') return { typeId: 'DOMAIN', domains: domains.slice(0, value + 1) };
  if (first.typeId === 'OS') return { typeId: 'OS', least: value };
  if (first.typeId === 'PROCESS') return first;
  return { typeId: 'MFA', timeoutSeconds: value * 200, promptOnWake };
}

/** The roles as the controller takes them. `@0` is the first of the ids. */
export function withIds(roles: readonly string[], ids: readonly string[]): readonly string[] {
  return roles.map((role) => (role.startsWith('@') ? `@${ids[Number(role.slice(1))]}` : role));
}

export function responseOf(id: string, typeId: Wanted['typeId'], value: number): object {
  if (typeId === 'DOMAIN') return { id, typeId, domain: domains[value] };
  if (typeId === 'OS') return { id, typeId, type: 'Linux', version: `${value}.0.0` };
  if (typeId === 'PROCESS') return { id, typeId, path: '/p', isRunning: value > 0 };
  return { id, typeId: 'ENDPOINT_STATE', woken: true };
}
