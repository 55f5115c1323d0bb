import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluate } from './evaluate.ts';
import { FilterError } from './filter-error.ts';
import type { FilterFields } from './page.ts';
import { boundLimit, boundOffset, selectionOf } from './paging.ts';
import { parseFilter, parseSort } from './parse.ts';

const fields: FilterFields = {
  id: { column: 'id', type: 'string' },
  name: { column: 'name', type: 'string' },
  a: { column: 'a', type: 'boolean' },
  b: { column: 'b', type: 'boolean' },
  c: { column: 'c', type: 'boolean' },
  n: { column: 'n', type: 'number' },
  at: { column: 'at', type: 'datetime' },
  roles: { type: 'set', set: { table: 'services_roles', owner: 'ownerId', value: 'value' } },
  tags: { column: 'tags', type: 'tags' },
  'owner.id': { type: 'string', column: 'id', through: { column: 'ownerId', table: 'owners' } },
  configs: {
    type: 'set',
    set: { table: 'services_configs', owner: 'ownerId', value: 'value' },
    to: { table: 'configs', fields: () => fields },
  },
};

const row = { id: 'x', name: 'Ann', n: 5, at: Date.UTC(2024, 0, 2), tags: { 'service-id': 'q' } };
const others = { services_roles: ['r', 's'].map((value) => ({ ownerId: 'x', value })) };

function matches(filter: string, values: Record<string, unknown> = {}): boolean {
  const { expression } = parseFilter(filter, fields);
  return expression === null || evaluate(expression, { ...row, ...values }, others);
}

describe('a filter', () => {
  it('groups and/or to the right, and applies not to everything on its right', () => {
    for (const [a, b, c] of [0, 1, 2, 3, 4, 5, 6, 7].map((bits) => [bits & 1, bits & 2, bits & 4].map(Boolean))) {
      const values = { a, b, c };
      expect(matches('a and b or c', values)).toBe(a && (b || c));
      expect(matches('a or b and c', values)).toBe(a || (b && c));
      expect(matches('not a and b', values)).toBe(!(a && b));
      expect(matches('(not (a)) and b', values)).toBe(!a && b);
    }
  });

  it.each([
    'NAME = "x"',
    "name = 'x'",
    'name like "a"',
    'limit 5 skip 1',
    ' ',
    'a and(b)',
    '(a)and b',
    'not(a)',
    'tags.key1 = 1',
    'name = "x";',
    'name = 01',
    'name = "\\u0041"',
    'roles = "r"',
    'anyOf(name) = "x"',
    'name in []',
    'n = "5"',
    'n icontains "5"',
    'a > true',
    'constructor = "x"',
    'tags = "x"',
    'at = DATETIME(2024-01-02T03:04:05Z)',
    'at = datetime(2024-13-02T03:04:05Z)',
    'sort by tags.a',
    'sort by roles',
    'limit 1.5',
    'name = "x',
    'n contains true',
    'at = datetime(9999-12-31T23:59:59-01:00)',
    'isEmpty(from configs)',
    'isEmpty(from configs where)',
    'isEmpty(from configs where a sort by name)',
    'isEmpty(from roles where a)',
    'isEmpty(from name where a)',
    'isEmpty(from configs where configs.name = "x")',
    'anyOf(from configs where a) = "x"',
    'count(from configs where a)',
  ])('is refused: %s', (filter) => {
    expect(() => parseFilter(filter, fields)).toThrow(FilterError);
  });

  it.each([
    'name="Ann"',
    'name = "x" OR n In [4,5]',
    'name icontains "ANN"',
    'tags.service-id = "q"',
    'n between 5 and 6',
    'n = 5e0 and n > -1',
    'anyOf(roles) in ["s"] and count(roles) = 2 and not isEmpty(roles)',
    'at >= datetime(2024-01-01T23:00:00-01:00)',
    'true limit none',
    '',
  ])('matches: %s', (filter) => {
    expect(matches(filter)).toBe(true);
  });

  it('has limits on length, depth, terms and lists', () => {
    const refuse = (filter: string) => expect(() => parseFilter(filter, fields)).toThrow(FilterError);
    refuse(`name = "${'x'.repeat(4_096)}"`);
    refuse(`${'('.repeat(17)}a${')'.repeat(17)}`);
    refuse(`${'not '.repeat(17)}a`);
    refuse(Array(33).fill('a').join(' and '));
    refuse(`n in [${Array(257).fill(1).join(',')}]`);
    const nested = (depth: number) => `${'isEmpty(from configs where '.repeat(depth)}a${')'.repeat(depth)}`;
    refuse(nested(3));
    refuse(`isEmpty(from configs where ${Array(32).fill('a').join(' and ')})`);
    parseFilter(`${nested(2)} or ${nested(2)}`, fields);
    parseFilter(`${'('.repeat(16)}a${')'.repeat(16)}`, fields);
    parseFilter(Array(32).fill('a').join(' and '), fields);
    parseFilter(`n in [${Array(256).fill(1).join(',')}]`, fields);
  });

  it('throws only FilterError for any text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 5_000 }), (text) => {
        for (const parse of [parseFilter, parseSort]) {
          try {
            parse(text, fields);
          } catch (error) {
            expect(error).toBeInstanceOf(FilterError);
          }
        }
      }),
    );
  });
});

describe('a page', () => {
  it('has limits', () => {
    expect([undefined, 0, -2, 7, 501, -1].map(boundLimit)).toEqual([10, 10, 10, 7, 500, 'none']);
    expect([undefined, -1, 3, 100_001].map(boundOffset)).toEqual([0, 0, 3, 100_000]);
  });

  it('prefers the page and order in the filter, and always sorts by id last', () => {
    const query = { filter: 'true sort by name desc skip 1 limit 2', sort: 'n', offset: 9, limit: 9 };
    const selection = selectionOf(query, fields, (_, error) => error as Error);
    expect(selection).toMatchObject({ limit: 2, offset: 1 });
    expect(selection.sort.map(({ column }) => column)).toEqual(['name', 'id']);
    // The id of another row does not make the order unique.
    expect(selectionOf({ sort: 'owner.id' }, fields, () => new Error()).sort).toHaveLength(2);
    expect(parseSort('a,b,c,n,at,name', fields)).toHaveLength(5);
    expect(() => parseSort('a,b,c,n,at,none', fields)).toThrow(FilterError);
  });
});
