import type { managementApi } from '@edge-controller/shared-types';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { fixed, group, held, nullable, optional, reference, required } from '../../../shared-types/src/field.ts';
import type { Handlers } from '../call.ts';
import type { FieldsOf } from '../entity-store/tables.ts';
import type { Definition } from './define-entity.ts';
import { defineEntity } from './define-entity.ts';
import { handlersOf } from './handlers-of.ts';
import type { Derived, State } from './state.ts';

const fields = {
  name: required(z.string()),
  made: fixed(z.string()),
  size: optional(z.number().int()),
  kind: held(z.enum(['big', 'small']), 'always'),
  hidden: held(z.boolean(), 'none'),
  note: nullable(z.string()),
  until: held(z.string(), 'optional'),
  rules: group(z.object({ on: z.boolean() })),
  ownerId: { ...reference('identities'), create: 'optional', update: 'optional' },
} as const;
type Fields = typeof fields;

const decided = {
  size: { absent: 0 },
  kind: { absent: 'big' },
  hidden: { absent: false },
  ownerId: { absent: 'none' },
} as const;

/** The type check is the test: each of these must not compile, and its neighbours must. */
const definitions: Definition<Fields>[] = [
  { id: 'short', fields: decided },
  { id: 'base62', fields: { ...decided, name: { live: true }, until: { reset: true }, note: { absent: 'a note' } } },
  // @ts-expect-error `size` is shown always and not always sent: what is it then?
  { id: 'short', fields: { kind: { absent: 'big' }, hidden: { absent: false }, ownerId: { absent: 'none' } } },
  // @ts-expect-error nobody sends `kind`: what is its first value?
  { id: 'short', fields: { size: { absent: 0 }, hidden: { absent: false }, ownerId: { absent: 'none' } } },
  // @ts-expect-error nobody sends `hidden`, and it is not nullable
  { id: 'short', fields: { size: { absent: 0 }, kind: { absent: 'big' }, ownerId: { absent: 'none' } } },
  // @ts-expect-error the reference may be absent in POST: what is it then?
  { id: 'short', fields: { size: { absent: 0 }, kind: { absent: 'big' }, hidden: { absent: false } } },
  // @ts-expect-error options without `absent` do not decide
  { id: 'short', fields: { ...decided, size: { live: true } } },
  // @ts-expect-error a number, not a text
  { id: 'short', fields: { ...decided, size: { absent: '0' } } },
  // @ts-expect-error not one of the values
  { id: 'short', fields: { ...decided, kind: { absent: 'huge' } } },
  // @ts-expect-error null is no value of a field that is shown always
  { id: 'short', fields: { ...decided, size: { absent: null } } },
  // @ts-expect-error no such field
  { id: 'short', fields: { ...decided, nmae: { live: true } } },
  // @ts-expect-error no such option
  { id: 'short', fields: { ...decided, name: { alive: true } } },
  // @ts-expect-error no such form of ids
  { id: 'uuid', fields: decided },
  // @ts-expect-error a rule must return fields of their types
  { id: 'short', fields: decided, prepare: async () => ({ size: 'large' }) },
];

type Management = Handlers<typeof managementApi>;
type Identities = FieldsOf<'identities'>;
type Policies = FieldsOf<'authPolicies'>;
declare const identities: Pick<Definition<Identities>, 'id' | 'fields'>;
declare const policies: Pick<Definition<Policies>, 'id' | 'fields'>;
declare const derived: Derived<Identities>;
declare const state: State<Identities>;
declare const refresh: Management['enrollments']['refresh'];

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
  const { list, get, create, delete: remove, patch } = handlersOf('enrollments');
  const enrollments: Management['enrollments'][] = [
    { list, get, create, delete: remove, refresh },
    // @ts-expect-error `refresh` is missing
    { list, get, create, delete: remove },
    // @ts-expect-error an enrollment has no PATCH
    { list, get, create, delete: remove, refresh, patch },
    // @ts-expect-error the handlers of another entity
    { ...handlersOf('identities'), refresh },
  ];
  // @ts-expect-error `disable`, `enable`, `removeMfa` and the lists below an identity are missing
  const identities: Management['identities'] = handlersOf('identities');
  return [enrollments, identities];
}

it('a definition that leaves a decision open does not compile', () => {
  expect(definitions).toHaveLength(14);
});
