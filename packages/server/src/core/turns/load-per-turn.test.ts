import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { loadPerTurn } from './load-per-turn.ts';

it('loads the keys of one turn together, each once, and those of the next turn anew', async () => {
  const loaded: (readonly string[])[] = [];
  const get = loadPerTurn(async (suffix: string, keys) => {
    loaded.push(keys);
    await nextTurn();
    return new Map(keys.filter((key) => key !== 'unknown').map((key) => [key, key + suffix]));
  });
  const first = Promise.all([get('!', 'a'), get('!', 'b'), get('!', 'a'), get('!', 'unknown')]);
  await nextTurn();
  const second = get('!', 'a');
  expect([await first, await second]).toEqual([['a!', 'b!', 'a!', undefined], 'a!']);
  expect(loaded).toEqual([['a', 'b', 'unknown'], ['a']]);
});

it('rejects all calls of a turn whose load fails, and no other', async () => {
  let isBroken = true;
  const get = loadPerTurn(async (_context: null, keys) => {
    if (isBroken) throw new Error('broken');
    return new Map(keys.map((key) => [key, key]));
  });
  const results = await Promise.allSettled([get(null, 'a'), get(null, 'b')]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isBroken = false;
  expect(await get(null, 'a')).toBe('a');
});
