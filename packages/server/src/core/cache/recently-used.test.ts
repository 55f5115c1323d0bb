import { expect, it } from 'vitest';
import { RecentlyUsed } from './recently-used.ts';

it('keeps the keys that were used last, and at most twice as many as it must', () => {
  const values = new RecentlyUsed<number>(100);
  for (let key = 0; key < 1_000; key += 1) {
    values.set(`key ${key}`, key);
    // This one is used again and again.
    expect(values.get('key 0')).toBe(0);
    expect(values.size).toBeLessThanOrEqual(200);
  }
  for (let key = 901; key < 1_000; key += 1) expect(values.get(`key ${key}`)).toBe(key);
  expect(values.get('key 500')).toBeUndefined();
});

it('returns the last value of a key', () => {
  const values = new RecentlyUsed<string>(2);
  values.set('a', 'old');
  values.set('b', 'b');
  values.set('c', 'c');
  values.set('a', 'new');
  expect(values.get('a')).toBe('new');
  expect(values.get('c')).toBe('c');
});
