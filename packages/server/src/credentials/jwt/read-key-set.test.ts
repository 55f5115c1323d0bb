import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createJwtKey } from '../../../test/support/jwt.ts';
import { readKeySet } from './key-ring.ts';
import { splitKeySet } from './split-key-set.ts';

const { jwk } = createJwtKey('ES256', 'good');
const good = JSON.stringify(jwk);
const read = (text: string) => readKeySet(Buffer.from(text, 'latin1'));

/** Text of about 1 MiB that repeats a part. */
const filled = (part: string, before = '{"keys":[', after = ']}') => {
  const count = Math.floor((1_048_576 - before.length - after.length) / part.length);
  return before + part.repeat(count) + after;
};
const manyKeys = (member = '') =>
  JSON.stringify({ keys: Array.from({ length: 5_500 }, (_, index) => ({ ...jwk, kid: `${index}`, [member]: 1 })) });

describe('the text of a JWK set', () => {
  it('may have members and blanks before and after the list, and entries of any kind', async () => {
    for (const text of [
      `{"keys":[${good}]}`,
      ` {\n"a": ["keys", {"keys": [1]}], "keys"\t:\r\n [ 1 , ${good} , "]\\"" , [[]], null ] , "b": {"keys": []} } `,
      `{"x":"\\"keys\\":[","keys":[${good}]}`,
    ]) {
      const ring = await read(text);
      expect([ring.has('good'), ring.has('other')], text).toEqual([true, false]);
    }
    expect((await read('{"keys":[ ]}')).has('good')).toBe(false);
  });

  it.each([
    ['', 'not valid JSON'],
    ['{"keys":[', 'not valid JSON'],
    [`{"keys":[${good}]`, 'not valid JSON'],
    [`{"keys":[${good}]}{}`, 'not valid JSON'],
    [`{"keys":[${good},]}`, 'not valid JSON'],
    [`{"keys":[,${good}]}`, 'not valid JSON'],
    [`{"keys":[${good} ${good}]}`, 'not valid JSON'],
    [`{"keys":[${good}}`, 'not valid JSON'],
    [`{"keys":[{"a":[}]]}`, 'not valid JSON'],
    [`{"keys":[${good}],}`, 'not valid JSON'],
    [`{"a":1 "keys":[${good}]}`, 'not valid JSON'],
    [`{"keys":[\xa0]}`, 'not valid UTF-8'],
    ['{"keys":["\xff"]}', 'not valid UTF-8'],
    [`{"keys":[${good}],"a":"\xff"}`, 'not valid UTF-8'],
    [`{"keys":[${'['.repeat(100_000)}]}`, 'not valid JSON'],
    [`{"keys":[${'['.repeat(100)}${']'.repeat(100)}]}`, 'nested deeper'],
    ['['.repeat(100_000), 'nested deeper'],
    ['{"keys":[{"__proto__":{}}]}', 'forbidden name'],
    ['{"__proto__":{},"keys":[]}', 'forbidden name'],
    ['null', 'no list `keys`'],
    ['[]', 'no list `keys`'],
    [`[${good}]`, 'no list `keys`'],
    ['{}', 'no list `keys`'],
    [`{"keys":${good}}`, 'no list `keys`'],
    ['{"keys":null}', 'no list `keys`'],
    [`{"a":{"keys":[${good}]}}`, 'no list `keys`'],
    [`[{"keys":[${good}]}]`, 'no list `keys`'],
    [`{"keys":[${good}],"keys":[${good}]}`, 'no list `keys`'],
    [`{"keys":[${good}],"\\u006beys":[${good}]}`, 'no list `keys`'],
    [`{"keys":[],"keys":1}`, 'no list `keys`'],
    [filled('{},', '{"keys":[', '{}]}'), 'more than 20000 keys'],
  ])('is refused: %.60s', async (text, reason) => {
    await expect(read(text)).rejects.toThrow(reason);
  });

  it('is split as other parsers read it', () => {
    const entries = fc.array(fc.jsonValue({ maxDepth: 4 }));
    const others = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(entries, others, fc.integer({ min: 0, max: 3 }), (keys, { keys: _, ...more }, indent) => {
        const text = JSON.stringify({ ...more, keys, after: more }, null, indent);
        const split = (): unknown[] => [...splitKeySet(Buffer.from(text))].map((entry) => JSON.parse(String(entry)));
        // Members with names that nobody may have are refused by the reader of the rest.
        if (/"(?:__proto__|constructor|prototype)"\s*:|\\u0000|\\ud[89a-f]/i.test(text)) return;
        expect(split()).toEqual(JSON.parse(text).keys);
      }),
    );
  });
});

describe('a JWK set of 1 MiB', () => {
  it.each([
    ['of many keys', manyKeys()],
    ['of keys with large members', filled(`${JSON.stringify({ ...jwk, x: 'x'.repeat(4_000) })},`, undefined, '1]}')],
    ['of numbers', filled(`1,${' '.repeat(64)}`, '{"keys":[', '1]}')],
  ])('leaves turns to others while it is read: %s', async (_, text) => {
    expect(text.length).toBeGreaterThan(700_000);
    let turns = 0;
    let isDone = false;
    const count = () => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const ring = await read(text);
    isDone = true;
    expect(ring.has('nobody')).toBe(false);
    expect(turns).toBeGreaterThan(20);
  });

  it('imports no key but the one that is asked for, and that once', async () => {
    const ring = await read(manyKeys('unknown'));
    const timeOf = (kids: readonly number[]) => {
      const start = performance.now();
      for (const kid of kids) expect(ring.get(`${kid}`)).toHaveLength(1);
      return performance.now() - start;
    };
    const single = Math.min(...[0, 1, 2, 3, 4].map((kid) => timeOf([kid])));
    expect(timeOf(Array.from({ length: 500 }, (_, index) => 100 + index))).toBeGreaterThan(20 * single);
    expect(ring.get('0')[0]).toBe(ring.get('0')[0]);
  });
});
