import { expect, it } from 'vitest';
import { continueSteadyClock, isoTime, parseTime, thisMachine } from './clock.ts';

it('formats times like Date, also before 1970', () => {
  const times = [0, 1, 999, 1_000, -1, -1_000, -86_399_999, 1_700_000_000_123, 253_402_300_799_999];
  for (let at = 0; at < 2_500; at += 1) times.push(1_700_000_000_000 + at * 777);
  for (const time of times) expect(isoTime(time)).toBe(new Date(time).toISOString());
});

it('parses dates with a time, and nothing else', () => {
  const time = Date.UTC(2030, 0, 2, 3, 4, 5, 678);
  expect(parseTime(isoTime(time))).toBe(time);
  expect(parseTime('2030-01-02T05:04:05.678+02:00')).toBe(time);
  expect(parseTime('2030-01-02T03:04:05.678')).toBe(time);
  expect(parseTime('2030-01-02T03:04:05Z')).toBe(time - 678);
  const others = [
    '',
    '2030',
    '2030-01-02',
    'Jan 2 2030',
    '2030-02-30T00:00:00Z',
    '2030-01-01T25:00:00Z',
    '1893553445678',
  ];
  for (const other of others) expect(parseTime(other), other).toBeNull();
});

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
