import { describe, expect, it } from 'vitest';
import { isClaimSelector, selectClaim } from './claim-selector.ts';
import { audienceOf, claimValue, claimValues } from './claim-values.ts';

describe('a claim selector', () => {
  it.each([
    ...['sub', '/sub', '/', '/a/b', 'a/b', 'a~b', '/a~0b/c~1d', '/0', '/ä ö', '/__proto__', 'x'.repeat(500)],
    'https://x.example/id',
  ])('%j is one', (selector) => {
    expect(isClaimSelector(selector)).toBe(true);
  });

  it.each(['', '/a~', '/a~2b', '/~~0', 'x'.repeat(501)])('%j is none, and selects nothing', (selector) => {
    expect(isClaimSelector(selector)).toBe(false);
    expect(selectClaim({ '': 'x', 'a~': 'x', 'a~2b': 'x', '~~': 'x', [selector]: 'x' }, selector)).toBeUndefined();
  });

  it.each([
    ['sub', 'Ada'],
    ['/sub', 'Ada'],
    ['/realm/id', 'r'],
    ['realm/id', undefined],
    ['https://x.example/id', 'named'],
    ['/https:~1~1x.example~1id', 'named'],
    ['/https://x.example/id', undefined],
    ['a/b', 'slash'],
    ['a~1b', undefined],
    ['m~n', 'tilde'],
    ['m~0n', undefined],
    ['__proto__', undefined],
    ['constructor', undefined],
    ['/list/1', 'b'],
    ['/list/0/name', undefined],
    ['/people/0/name', 'Bo'],
    ['/', 'empty'],
    ['//', undefined],
    ['/m~0n', 'tilde'],
    ['/a~1b', 'slash'],
    // First `~1`, then `~0` (RFC 6901, section 4).
    ['/~01', 'both'],
    ['/none', undefined],
    ['/sub/0', undefined],
    ['/sub/length', undefined],
    ['/list/-', undefined],
    ['/list/01', undefined],
    ['/list/2', undefined],
    ['/list/length', undefined],
    ['/object/01', 'name'],
    ['/__proto__', undefined],
    ['/constructor', undefined],
    ['/constructor/name', undefined],
    ['/toString', undefined],
    ['/list/map', undefined],
    ['/nothing', null],
    ['/nothing/x', undefined],
  ])('%j selects %j', (selector, expected) => {
    const claims = {
      sub: 'Ada',
      realm: { id: 'r' },
      list: ['a', 'b'],
      people: [{ name: 'Bo' }],
      object: { '01': 'name' },
      '': 'empty',
      'm~n': 'tilde',
      'a/b': 'slash',
      '~1': 'both',
      'https://x.example/id': 'named',
      nothing: null,
    };
    expect(selectClaim(claims, selector)).toEqual(expected);
  });

  it('selects an own member with the name of an inherited one', () => {
    expect(selectClaim(JSON.parse('{"__proto__": {"id": "own"}}'), '/__proto__/id')).toBe('own');
  });
});

describe('the claim of an identity', () => {
  it.each([['Ada'], ['x'.repeat(512)], [' ']])('is the text %j', (sub) => {
    expect(claimValue({ sub }, 'sub')).toBe(sub);
  });

  it.each([[''], ['x'.repeat(513)], [1], [null], [true], [['Ada']], [{ id: 'Ada' }], [undefined]])(
    'is not %j',
    (sub) => {
      expect(claimValue({ sub }, 'sub')).toBeNull();
    },
  );
});

describe('the values of a claim', () => {
  it.each([
    ['sales', ['sales']],
    [
      ['sales', 'admin'],
      ['sales', 'admin'],
    ],
    [[], []],
    [null, []],
    [undefined, []],
    [1, [1]],
    [{ sales: true }, [{ sales: true }]],
    [
      ['sales', null],
      ['sales', null],
    ],
    [[['sales']], [['sales']]],
  ])('of %j are %j', (groups, expected) => {
    expect(claimValues({ groups }, '/groups')).toEqual(expected);
  });
});

describe('the audiences', () => {
  it.each([
    ['edge', ['edge']],
    [
      ['edge', 'other'],
      ['edge', 'other'],
    ],
    [undefined, []],
    [null, []],
    [1, []],
    [['edge', 1], []],
    [{ edge: true }, []],
  ])('of %j are %j', (aud, expected) => {
    expect(audienceOf({ aud })).toEqual(expected);
  });
});
