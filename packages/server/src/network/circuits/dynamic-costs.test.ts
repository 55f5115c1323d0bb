import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DynamicCosts } from './dynamic-costs.ts';

const minute = 60_000;

function failing(times: number): DynamicCosts {
  const costs = new DynamicCosts();
  for (let left = times; left > 0; left -= 1) costs.dialFailed('t', 0);
  return costs;
}

describe('the dynamic cost of a terminator', () => {
  it('is 2 for each open circuit', () => {
    const costs = new DynamicCosts();
    expect(costs.costOf('t', 0)).toBe(0);
    costs.dialSucceeded('t', 0);
    costs.dialSucceeded('t', 0);
    expect(costs.costOf('t', 0)).toBe(4);
    expect(costs.costOf('other', 0)).toBe(0);
    costs.circuitRemoved('t');
    expect(costs.costOf('t', 0)).toBe(2);
    costs.circuitRemoved('t');
    costs.circuitRemoved('t');
    costs.circuitRemoved('unknown');
    expect(costs.costOf('t', 0)).toBe(0);
  });

  it('is 20 for each failed dial, and each success takes 2 of it back', () => {
    const costs = failing(2);
    expect(costs.costOf('t', 0)).toBe(40);
    costs.dialSucceeded('t', 0);
    expect(costs.costOf('t', 0)).toBe(2 + 38);
    for (let left = 30; left > 0; left -= 1) costs.dialSucceeded('t', 0);
    expect(costs.costOf('t', 0)).toBe(62);
  });

  it('loses 10 of its failures each minute', () => {
    const costs = failing(2);
    expect([0.9, 1, 2.5, 3, 4, 60].map((at) => costs.costOf('t', at * minute))).toEqual([40, 30, 20, 10, 0, 0]);
  });

  it('recovers faster the longer the last failure is ago', () => {
    const costs = failing(50);
    expect(costs.costOf('t', 19 * minute)).toBe(1_000 - 190);
    expect(costs.costOf('t', 24 * minute)).toBe(810 - 5 * 16);
    expect(costs.costOf('t', 29 * minute)).toBe(730 - 5 * 32);
    costs.dialFailed('t', 29 * minute);
    expect(costs.costOf('t', 30 * minute)).toBe(570 + 20 - 10);
  });

  it('has bounds', () => {
    expect(failing(5_000).costOf('t', 0)).toBe(16_383);
    expect(failing(5_000).costOf('t', 70 * minute)).toBe(0);
    const costs = failing(1);
    for (let left = 40_000; left > 0; left -= 1) costs.dialSucceeded('t', 0);
    expect(costs.costOf('t', 0)).toBe(65_535);
  });

  it('is forgotten with the terminator', () => {
    const costs = failing(1);
    costs.dialSucceeded('t', 0);
    costs.remove('t');
    expect(costs.costOf('t', 0)).toBe(0);
    costs.circuitRemoved('t');
    expect(costs.costOf('t', 0)).toBe(0);
  });

  it('is the same however often somebody asks, and a clock that stands still or goes back does no harm', () => {
    fc.assert(
      fc.property(fc.nat({ max: 200 }), fc.array(fc.integer({ min: -10, max: 90 })), (times, askedAt) => {
        const [asked, unasked] = [failing(times), failing(times)];
        for (const at of askedAt) asked.costOf('t', at * minute);
        expect(asked.costOf('t', 90 * minute)).toBe(unasked.costOf('t', 90 * minute));
      }),
    );
  });

  it('remembers the failures of the last 100,000 terminators', () => {
    const costs = new DynamicCosts();
    for (let at = 0; at < 100_001; at += 1) costs.dialFailed(`t${at}`, 0);
    expect(['t0', 't1', 't100000'].map((id) => costs.costOf(id, 0))).toEqual([0, 20, 20]);
  });
});
