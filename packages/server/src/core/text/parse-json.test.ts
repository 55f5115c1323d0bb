import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseJson, parseText, Unreadable } from './parse-json.ts';

const parse = (text: string) => parseJson(Buffer.from(text));

describe('parseJson', () => {
  it('reads what JSON.parse reads, whatever the strings hold', () => {
    const json = fc.jsonValue({ maxDepth: 6, noUnicodeString: false });
    const safe = (text: string) => !text.includes('\\u0000') && !/__proto__|constructor|prototype/.test(text);
    fc.assert(
      fc.property(json, (value) => {
        const text = JSON.stringify(value);
        fc.pre(safe(text) && text.isWellFormed() && !/\\ud[89a-f]/i.test(text));
        expect(parse(text)).toEqual(JSON.parse(text));
      }),
    );
  });

  it('throws nothing but Unreadable, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          parseJson(Buffer.from(bytes));
        } catch (error) {
          expect(error).toBeInstanceOf(Unreadable);
        }
      }),
    );
  });

  it('counts what stands outside of strings only', () => {
    const text = JSON.stringify({ a: '[{:,'.repeat(20_000), b: '\\"'.repeat(20_000), c: '"'.repeat(20_000) });
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it.each([
    ['levels', '['.repeat(1_000_000), 'nested deeper than 32 levels'],
    ['members', `{${'"a":1,'.repeat(150_000)}}`, 'more than 1000 members'],
    ['values', `[${'1,'.repeat(500_000)}1]`, 'more than 10000 values'],
    ['strings that no comma parts', '"'.repeat(1_000_000), 'more than 10000 values'],
    ['an open string', `["${'\\'.repeat(1_000_000)}`, 'not valid JSON'],
    ['blanks', `${' '.repeat(1_000_000)}x`, 'not valid JSON'],
  ])('refuses a megabyte of %s without working on it for long', (_what, text, message) => {
    const startedAt = performance.now();
    expect(() => parse(text)).toThrow(message);
    expect(performance.now() - startedAt).toBeLessThan(250);
  });

  it('refuses names that change prototypes, NUL, lone surrogates and other encodings', () => {
    for (const text of [
      '{"__proto__":1}',
      '[{"constructor":1}]',
      '{"a":{"prototype":1}}',
      '{"a":"\\u0000"}',
      '"\\ud800"x',
      '{"a":1e309}',
      '{"a":[-1e309]}',
    ]) {
      expect(() => parse(text), text).toThrow(Unreadable);
    }
    expect(() => parse('{"a":"\\ud800"}')).toThrow('half a surrogate pair');
    expect(() => parseJson(Buffer.from([0x22, 0xff, 0x22]))).toThrow('not valid UTF-8');
    expect(() => parseText(Buffer.from([0xff]))).toThrow('not valid UTF-8');
    expect(() => parseText(Buffer.from('a\0b'))).toThrow('NUL');
    expect(parseText(Buffer.from('a\nb'))).toBe('a\nb');
  });
});
