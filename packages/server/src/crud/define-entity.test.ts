import type { managementApi } from '@edge-controller/shared-types';
import { expect, it } from 'vitest';
import { z } from 'zod';
import {
  group,
  immutable,
  nullable,
  optional,
  reference,
  required,
  serverSet,
} from '../../../shared-types/src/field.ts';
import type { Handlers } from '../dependencies.ts';
import type { Derived, EntityState } from '../storage/entity-store/state.ts';
import type { FieldsOf } from '../storage/entity-store/tables.ts';
import type { AccessRule, Definition } from './define-entity.ts';
import { defineEntity } from './define-entity.ts';
import { entityHandlers } from './handlers-of.ts';

const fields = {
  name: required(z.string()),
  made: immutable(z.string()),
  size: optional(z.number().int(), 0),
  kind: serverSet(z.enum(['big', 'small']), 'always', 'big'),
  hidden: serverSet(z.boolean(), 'none', false),
  note: nullable(z.string()),
  until: serverSet(z.string(), 'optional', null),
  rules: group(z.object({ on: z.boolean() })),
  ownerId: { ...reference('identities'), create: 'optional', update: 'optional', default: 'none' },
} as const;
type Fields = typeof fields;

const access: AccessRule = async (_write, run) => await run();
const none = { access: 'none' } as const;
const effects = {
  name: none,
  made: none,
  size: none,
  kind: none,
  hidden: none,
  note: none,
  rules: none,
  ownerId: none,
};

/** The type check is the test: each of these must not compile, and its neighbours must. */
const definitions: Definition<Fields>[] = [
  {},
  {
    id: 'short',
    fields: { name: { affectsSessions: true }, until: { reset: true }, ownerId: { onDelete: 'cascade' } },
  },
  // @ts-expect-error no such field
  { fields: { nmae: { affectsSessions: true } } },
  // @ts-expect-error no such option
  { fields: { name: { affectSession: true } } },
  // @ts-expect-error no such form of ids
  { id: 'uuid' },
  { access, fields: { ...effects, until: { access: 'rights', reset: true } } },
  // @ts-expect-error the effect of `until` is missing
  { access, fields: { ...effects, until: { reset: true } } },
  // @ts-expect-error `until` is missing
  { access, fields: effects },
  // @ts-expect-error the entity does not say that it decides about access
  { fields: { until: { access: 'rights' } } },
  // @ts-expect-error a rule must return fields of their types
  { prepare: async () => ({ size: 'large' }) },
];

type Management = Handlers<typeof managementApi>;
type Identities = FieldsOf<'identities'>;
type Policies = FieldsOf<'authPolicies'>;
declare const identities: Definition<Identities>;
declare const policies: Definition<Policies>;
declare const derived: Derived<Identities>;
declare const state: EntityState<Identities>;
declare const refresh: Management['enrollments']['refresh'];
declare const given: Management;

/** Never called: some of these would fail. */
export function typed(): unknown[] {
  const attributes: string[] = state.roleAttributes;
  const externalId: string | null = state.externalId;
  // @ts-expect-error no secret and nothing derived is part of the state
  const hasSession: unknown = state.hasApiSession;
  // @ts-expect-error what only POST takes is no part of the state
  const enrollment: unknown = state.enrollment;
  return [
    [attributes, externalId, hasSession, enrollment],
    defineEntity('identities', { ...identities, derive: async (_services, states) => states.map(() => derived) }),
    // @ts-expect-error the contract has derived fields
    defineEntity('identities', identities),
    defineEntity('identities', {
      ...identities,
      // @ts-expect-error `disabled` is missing
      derive: async (_services, states) => states.map(() => ({ ...derived, disabled: undefined })),
    }),
    defineEntity('authPolicies', policies),
    // @ts-expect-error the contract has no derived fields
    defineEntity('authPolicies', { ...policies, derive: async () => [] }),
    // @ts-expect-error no such entity
    defineEntity('gadgets', policies),
  ];
}

/** Never called, as above. */
export function complete(): unknown[] {
  const others = {
    authenticators: given.authenticators,
    cas: given.cas,
    edgeRouters: given.edgeRouters,
    externalJwtSigners: given.externalJwtSigners,
    identities: given.identities,
  };
  return [
    entityHandlers({ ...others, enrollments: { refresh } }),
    // @ts-expect-error `refresh` is missing
    entityHandlers({ ...others, enrollments: {} }),
    // @ts-expect-error the enrollments are missing
    entityHandlers(others),
    // @ts-expect-error an enrollment has no PATCH
    entityHandlers({ ...others, enrollments: { refresh, patch: given.identities.patch } }),
    // @ts-expect-error a handler with another result
    entityHandlers({ ...others, enrollments: { refresh, get: async () => 1 } }),
  ];
}

it('a definition that leaves a decision open does not compile', () => {
  expect(definitions).toHaveLength(10);
});
