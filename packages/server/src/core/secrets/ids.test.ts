import { expect, it } from 'vitest';
import { shortId } from './ids.ts';

it('a short id begins with a letter or a digit', () => {
  const ids = Array.from({ length: 5_000 }, shortId);
  expect(ids.filter((id) => !/^[0-9a-zA-Z][0-9a-zA-Z.-]{9}$/.test(id))).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
});
