import { describe, expect, it } from 'vitest';
import { acceptedType } from './accepted-type.ts';

const json = 'application/json';
const yaml = 'text/yaml';

describe('acceptedType', () => {
  it.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="utf-8"',
    'application/json;q=0.5;charset=utf-8',
    'application/json;charset=utf-8;q=0.5',
    'application/json;profile="a,b;q=0";q=1',
    'application/json;profile="a\\",text/html;q=0',
    'application/json; version=1; Q=0.1',
    'application/*;x=y',
    '*/*;x=y',
    'text/html, application/json;charset=utf-8;q=0.001',
    'text/html;level=1, */*;q=0.1',
    'application/json;q=1, application/json;version=2;q=0',
    ' , application/json ,',
    '*/*;q=0, application/json',
  ])('takes JSON for "%s"', (accept) => {
    expect(acceptedType(accept, [json])).toBe(json);
  });

  it.each([
    'text/html',
    'text/html;charset=utf-8',
    'application/jsonx',
    'application/json;q=0',
    'application/json;q=0.000;charset=utf-8',
    'application/json;charset=utf-8;q=0',
    'application/json;charset=utf-8;q=0, */*',
    'application/*;x=y;q=0, */*;q=0.5',
    '*/*;x=y;q=0',
    'application/json;q=x',
    'text/html;x="application/json, */*"',
    'text/html;x="application/json, */*',
    'nonsense',
    '*',
    ',;"',
    '',
  ])('takes nothing for "%s"', (accept) => {
    expect(acceptedType(accept, [json])).toBeUndefined();
  });

  it.each([
    ['*/*', yaml],
    ['text/yaml;q=0.1, application/json', json],
    ['application/json, text/yaml', json],
    ['application/json, */*', json],
    ['*/*, application/json;version=1', json],
    ['application/json;q=0.5, */*', yaml],
    ['text/*;q=0.4, application/json;q=0.3', yaml],
    ['text/yaml;q=0, */*', json],
  ] as const)('prefers for "%s" the type %s', (accept, type) => {
    expect(acceptedType(accept, [yaml, json])).toBe(type);
  });

  it.each([['";'], ['q='], ['\\"'], ['a;q=1,'], [' '], ['a;']])('reads 16 KiB of %j at once', (text) => {
    const startedAt = performance.now();
    acceptedType(text.repeat(16_384 / text.length), [json]);
    expect(performance.now() - startedAt).toBeLessThan(100);
  });
});
