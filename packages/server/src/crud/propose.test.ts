import type { AnyContract, Fields } from '@edge-controller/shared-types';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { entity } from '../../../shared-types/src/entity.ts';
import {
  attributes,
  group,
  immutable,
  nullable,
  optional,
  reference,
  references,
  required,
  serverSet,
} from '../../../shared-types/src/field.ts';
import type { ApiError } from '../core/api-error.ts';
import { entityOf } from './define-entity.ts';
import type { AnyState, Entity, FieldOptions } from './entity.ts';
import { propose } from './propose.ts';

/** An entity from a contract that no API has. */
function made(contract: AnyContract, fields: Readonly<Record<string, FieldOptions>> = {}): Entity {
  return entityOf(contract.collection as Entity['name'], contract, { fields });
}

const level = z.object({ on: z.boolean(), limit: z.number().int(), word: z.string().nullish() });
const rules = z.object({ first: level, second: z.object({ deep: level, list: z.array(z.string()) }) });

const fields = {
  name: required(z.string(), 'name'),
  size: optional(z.number().int(), 7),
  note: nullable(z.string()),
  costs: optional(z.record(z.string(), z.number().nullable()), {}),
  made: immutable(z.string()),
  kept: serverSet(z.string(), 'always', 'first'),
  until: serverSet(z.string(), 'optional', null),
  rules: group(rules),
  ownerId: { ...reference('identities'), body: 'owner' },
  members: references('identities'),
  roleAttributes: attributes('always'),
} satisfies Fields;

const gadgets = made(entity({ noun: 'proposedGadget', collection: 'proposed-gadgets', fields }), {
  until: { reset: true },
});

const someRules = {
  first: { on: true, limit: 1 },
  second: { deep: { on: false, limit: 2, word: 'two' }, list: ['b', 'a'] },
};
const whole = { name: 'a gadget', made: 'here', owner: 'owner-1', rules: someRules };

const stored = {
  id: 'g1',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  tags: { team: 'red' },
  name: 'stored',
  size: 3,
  note: 'a note',
  costs: { s1: 4 },
  made: 'there',
  kept: 'by the server',
  until: '2027-01-01T00:00:00.000Z',
  rules: someRules,
  ownerId: 'owner-0',
  members: ['m1'],
  roleAttributes: ['x', 'y'],
} as AnyState;

const now = '2026-02-02T00:00:00.000Z';
const post = (body: object, of = gadgets) =>
  propose({ entity: of, verb: 'create', body: { ...body }, previous: null, id: 'g2', now });
const put = (body: object, of = gadgets, previous = stored) =>
  propose({ entity: of, verb: 'update', body: { ...body }, previous, id: previous.id, now });
const patch = (body: object, of = gadgets, previous = stored) =>
  propose({ entity: of, verb: 'patch', body: { ...body }, previous, id: previous.id, now });

function causeOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return (error as ApiError).detail;
  }
  return 'nothing was thrown';
}

describe('POST', () => {
  it('gives every field that is not sent its value for that', () => {
    expect(post(whole)).toEqual({
      ...{ id: 'g2', createdAt: now, updatedAt: now, tags: {} },
      ...{ name: 'a gadget', size: 7, note: null, costs: {}, made: 'here', kept: 'first', until: null },
      ...{ rules: someRules, ownerId: 'owner-1', members: [], roleAttributes: [] },
    });
  });

  it('counts null as not sent', () => {
    const nothing = { size: null, note: null, costs: null, members: null, roleAttributes: null, tags: null };
    expect(post({ ...whole, ...nothing })).toEqual(post(whole));
  });

  it('takes what is sent, but not a field that the server keeps or a name that only the detail has', () => {
    const sent = { size: 0, note: '', costs: { s: null }, kept: 'x', until: 'x', id: 'x', ownerId: 'x' };
    expect(post({ ...whole, ...sent })).toEqual({
      ...post(whole),
      ...{ size: 0, note: '', costs: { s: null } },
    });
  });

  it('sorts sets and leaves out repeats', () => {
    const { members, roleAttributes } = post({
      ...whole,
      members: ['b', 'a', 'b'],
      roleAttributes: ['z', 'B', 'a', 'z'],
    });
    expect([members, roleAttributes]).toEqual([
      ['a', 'b'],
      ['B', 'a', 'z'],
    ]);
  });

  it('leaves out the members of a group that are null', () => {
    const sent = { ...someRules, first: { on: true, limit: 1, word: null } };
    expect(post({ ...whole, rules: sent }).rules).toEqual(someRules);
  });
});

describe('PUT', () => {
  it('sets what is not sent back, and keeps immutable fields and fields that the server sets', () => {
    expect(put(whole)).toEqual({
      ...post(whole),
      ...{ id: 'g1', createdAt: stored.createdAt, made: 'there', kept: 'by the server', until: null },
    });
  });

  it('replaces a group and does not merge it', () => {
    const sent = { first: { on: false, limit: 9 }, second: { deep: { on: true, limit: 8 }, list: [] } };
    expect(put({ ...whole, rules: sent }).rules).toEqual(sent);
  });

  it('ignores an immutable field', () => {
    expect(put({ ...whole, made: 'elsewhere' }).made).toBe('there');
  });
});

describe('PATCH', () => {
  it('keeps everything that is absent or null', () => {
    const kept = { ...stored, updatedAt: now };
    expect(patch({})).toEqual(kept);
    const names = ['name', 'size', 'note', 'costs', 'rules', 'owner', 'members', 'roleAttributes', 'tags'];
    expect(patch(Object.fromEntries(names.map((name) => [name, null])))).toEqual(kept);
  });

  it('ignores immutable fields and fields that the server sets', () => {
    expect(patch({ made: 'x', kept: 'x', until: 'x', id: 'x', createdAt: 'x', ownerId: 'x' })).toEqual(patch({}));
  });

  it('takes an empty text, list or object, and false and zero', () => {
    const sent = { size: 0, note: '', costs: {}, members: [], roleAttributes: [], tags: {} };
    expect(patch(sent)).toEqual({ ...patch({}), ...sent });
  });

  it('replaces an object, but ignores one whose values are all null', () => {
    expect(patch({ costs: { s2: 1, s3: null } }).costs).toEqual({ s2: 1, s3: null });
    expect(patch({ tags: { team: null, size: 1 } }).tags).toEqual({ team: null, size: 1 });
    expect(patch({ costs: { s1: null }, tags: { team: null, other: null } })).toEqual(patch({}));
  });

  it('merges a group member by member at every depth, and replaces lists', () => {
    const sent = { first: { limit: 5, on: null }, second: { deep: { on: true, word: null }, list: ['c'] } };
    expect(patch({ rules: sent }).rules).toEqual({
      first: { on: true, limit: 5 },
      second: { deep: { on: true, limit: 2, word: 'two' }, list: ['c'] },
    });
    expect(patch({ rules: { first: null, second: { deep: null, list: null } } }).rules).toEqual(someRules);
  });

  it('does not change the stored state', () => {
    const before = structuredClone(stored);
    patch({ rules: { second: { deep: { limit: 99 } } }, tags: { a: 1 }, roleAttributes: ['b'] });
    expect(stored).toEqual(before);
  });
});

describe('every verb', () => {
  it.each([
    ['POST', post],
    ['PUT', put],
    ['PATCH', patch],
  ])('%s refuses an empty name, tags that are not flat, and role attributes with a prefix', (_verb, send) => {
    expect(causeOf(() => send({ ...whole, name: '' }))).toEqual({
      field: 'name',
      reason: 'name is required',
      value: '',
    });
    for (const nested of [{}, { a: 1 }, [], [1]]) {
      expect(causeOf(() => send({ ...whole, tags: { flat: null, team: nested } }))).toMatchObject({
        field: 'tags.team',
      });
    }
    for (const prefixed of ['#x', '@x']) {
      expect(causeOf(() => send({ ...whole, roleAttributes: ['a', prefixed, 'b'] }))).toEqual({
        field: 'roleAttributes',
        reason: `role attributes may not be prefixed with ${prefixed[0]}`,
        value: prefixed,
      });
    }
    expect(send({ ...whole, name: ' ', tags: { s: 'x', n: 1, b: false, none: null } })).toMatchObject({ name: ' ' });
  });
});

describe('an entity of several kinds', () => {
  const checks = made(
    entity({
      noun: 'proposedCheck',
      collection: 'proposed-checks',
      fields: {
        name: required(z.string()),
        typeId: required(z.enum(['OS', 'MFA', 'DOMAIN'])),
        systems: nullable(z.array(z.string())),
        timeout: nullable(z.number().int()),
        domains: nullable(z.array(z.string())),
      },
      kinds: { by: 'typeId', members: { OS: ['systems!'], MFA: ['timeout'], DOMAIN: ['domains!', 'timeout'] } },
    }),
  );
  const os = post({ name: 'os', typeId: 'OS', systems: ['a'] }, checks);

  it('takes the members of its kind and leaves out the others', () => {
    expect(os).toMatchObject({ typeId: 'OS', systems: ['a'], timeout: null, domains: null });
    const mfa = post({ name: 'mfa', typeId: 'MFA', systems: ['a'], timeout: 5, domains: ['d'] }, checks);
    expect(mfa).toMatchObject({ typeId: 'MFA', systems: null, timeout: 5, domains: null });
    expect(post({ name: 'mfa', typeId: 'MFA' }, checks)).toMatchObject({ timeout: null });
  });

  it('refuses POST and PUT without a required member, but not PATCH', () => {
    const missing = { field: 'systems', reason: 'systems in body is required' };
    expect(causeOf(() => post({ name: 'os', typeId: 'OS' }, checks))).toEqual(missing);
    expect(causeOf(() => post({ name: 'os', typeId: 'OS', systems: null }, checks))).toEqual(missing);
    expect(causeOf(() => put({ name: 'os', typeId: 'OS' }, checks, os))).toEqual(missing);
    expect(patch({ systems: null }, checks, os)).toMatchObject({ systems: ['a'] });
    expect(patch({ systems: ['b'] }, checks, os)).toMatchObject({ systems: ['b'] });
  });

  it('keeps its kind whatever PUT and PATCH send', () => {
    for (const send of [put, patch]) {
      const next = send({ name: 'still', typeId: 'MFA', systems: ['b'], timeout: 9 }, checks, os);
      expect(next).toMatchObject({ name: 'still', typeId: 'OS', systems: ['a'], timeout: null });
    }
  });
});
