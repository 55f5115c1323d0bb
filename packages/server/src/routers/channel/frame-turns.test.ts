import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import type { FrameTask } from './frame-turns.ts';
import { FrameTurns } from './frame-turns.ts';

/** Keeps the event loop busy. */
function spend(milliseconds: number): void {
  for (const endsAt = performance.now() + milliseconds; performance.now() < endsAt; );
}

/** Work that never ends. */
class Busy implements FrameTask {
  readonly #cost: number;
  steps = 0;

  constructor(cost: number) {
    this.#cost = cost;
  }

  get time(): number {
    return this.steps * this.#cost;
  }

  step(): 'more' {
    this.steps += 1;
    spend(this.#cost);
    return 'more';
  }
}

it('does all steps of one, until there are none', async () => {
  const turns = new FrameTurns();
  let left = 100;
  const work: FrameTask = {
    step() {
      if (left === 0) return 'nothing';
      left -= 1;
      return 'more';
    },
  };
  turns.add(work);
  turns.add(work);
  expect(left).toBe(100);
  await vi.waitUntil(() => left === 0);
});

it('lets what a step has begun go first', async () => {
  const turns = new FrameTurns();
  const order: string[] = [];
  let steps = 0;
  turns.add({
    step() {
      steps += 1;
      order.push(`step ${steps}`);
      void Promise.resolve().then(() => order.push(`done ${steps}`));
      return steps === 3 ? 'nothing' : 'enough';
    },
  });
  // A stall between two steps counts as their time: the next one is late then.
  await vi.waitUntil(() => steps === 3);
  await delay(0);
  expect(order).toEqual(['step 1', 'done 1', 'step 2', 'done 2', 'step 3', 'done 3']);
});

it('gives one a fifth of the time, and no more than half of it to all', async () => {
  const turns = new FrameTurns();
  const busy = Array.from({ length: 6 }, () => new Busy(1));
  for (const work of busy) turns.add(work);
  // All have a credit at first.
  await delay(1_000);
  const before = busy.map(({ time }) => time);
  const startedAt = performance.now();
  await delay(500);
  const passed = performance.now() - startedAt;
  const spent = busy.map(({ time }, at) => time - (before[at] ?? 0));
  for (const time of spent) expect(time / passed).toBeLessThan(0.3);
  expect(spent.reduce((sum, time) => sum + time, 0) / passed).toBeLessThan(0.65);
  for (const work of busy) work.step = () => 'nothing' as never;
});

it('does not let others wait for the one that costs most', async () => {
  const turns = new FrameTurns();
  const costly = new Busy(20);
  turns.add(costly);
  await delay(500);
  for (let count = 0; count < 20; count += 1) {
    const before = costly.steps;
    await new Promise<void>((resolve) => {
      turns.add({
        step() {
          resolve();
          return 'nothing';
        },
      });
    });
    // The one that has begun.
    expect(costly.steps - before).toBeLessThanOrEqual(1);
    await delay(10);
  }
  costly.step = () => 'nothing' as never;
});
