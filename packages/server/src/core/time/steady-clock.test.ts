import { expect, it } from 'vitest';
import { continueSteadyClock, thisMachine } from './steady-clock.ts';

const minute = 60_000;

/** A machine whose clocks move when they are set. */
function testMachine({ bootId = 'first' as string | null, uptime = 1_000, wall = 1_700_000_000_000 } = {}) {
  let running = 50;
  return {
    bootId,
    uptime: () => uptime,
    running: () => running,
    clock: () => wall,
    run(milliseconds: number) {
      uptime += milliseconds;
      running += milliseconds;
      wall += milliseconds;
    },
    sleep(milliseconds: number) {
      uptime += milliseconds;
      wall += milliseconds;
    },
    setClock(by: number) {
      wall += by;
    },
  };
}

it('starts at the wall clock and then ignores how it is set', () => {
  const machine = testMachine();
  const steady = continueSteadyClock(null, machine.clock, machine);
  const start = machine.clock();
  expect(steady.now()).toBe(start);
  for (const step of [10 * minute, -20 * minute]) {
    machine.setClock(step);
    steady.mark();
  }
  machine.run(5_000);
  expect(steady.now()).toBe(start + 5_000);
});

it.each([10 * minute, -10 * minute])(
  'continues after a restart of the process when the clock was set by %d ms',
  (step) => {
    const before = testMachine();
    const mark = continueSteadyClock(null, before.clock, before).mark();
    const after = testMachine({ uptime: before.uptime() + minute, wall: before.clock() + minute + step });
    expect(continueSteadyClock(mark, after.clock, after).now()).toBe(mark.steady + minute);
  },
);

it.each([
  ['another start of the machine', 'second', 5_000],
  ['a container that was started again', 'first', 500],
  ['a system that does not tell its starts', null, 5_000],
])('takes the wall clock after %s, and never goes back', (_, bootId, uptime) => {
  const before = testMachine({ bootId: bootId && 'first' });
  const mark = continueSteadyClock(null, before.clock, before).mark();
  for (const [passed, counted] of [
    [minute, minute],
    [-minute, 0],
  ] as const) {
    const after = testMachine({ bootId, uptime, wall: before.clock() + passed });
    expect(continueSteadyClock(mark, after.clock, after).now()).toBe(mark.steady + counted);
  }
});

it('counts the time that the machine slept, once', () => {
  const machine = testMachine();
  const steady = continueSteadyClock(null, machine.clock, machine);
  const start = steady.now();
  machine.run(2_000);
  machine.sleep(minute);
  machine.run(1_000);
  const { steady: marked } = steady.mark();
  expect([marked, steady.now()]).toEqual([start + minute + 3_000, start + minute + 3_000]);
  steady.mark();
  expect(steady.now()).toBe(start + minute + 3_000);
});

it('reads the clocks of this machine', () => {
  expect(Math.abs(continueSteadyClock(null, () => 0).mark().uptime - thisMachine.uptime())).toBeLessThan(minute);
  expect(continueSteadyClock(null, () => 0).now()).toBeLessThan(minute);
});
