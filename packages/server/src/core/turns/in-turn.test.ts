import { expect, it } from 'vitest';
import { createTurns } from './in-turn.ts';

it('runs work with one key in order, also after a failure, and other work at once', async () => {
  const inTurn = createTurns();
  const order: string[] = [];
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const first = inTurn('a', async () => {
    await gate;
    order.push('first');
    throw new Error('refused');
  });
  const second = inTurn('a', async () => order.push('second'));
  await inTurn('b', async () => order.push('other'));
  open();
  await expect(first).rejects.toThrow('refused');
  await second;
  expect(order).toEqual(['other', 'first', 'second']);
});
