import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { noUsedSteps, useSteps } from './used-steps.ts';

/** Uses steps one after the other, each when it is the present one. Returns those that were accepted. */
function acceptedOf(steps: readonly number[], usedSteps = noUsedSteps): number[] {
  const accepted: number[] = [];
  let row = { usedSteps };
  for (const step of steps) {
    const next = useSteps(row, [step], step + 1);
    if (next === null) continue;
    row = { usedSteps: next };
    accepted.push(step);
  }
  return accepted;
}

describe('a time step', () => {
  it('is accepted once ever, whatever the clock does', () => {
    const steps = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 200 });
    fc.assert(
      fc.property(steps, (tried) => {
        const accepted = acceptedOf(tried);
        expect(new Set(accepted).size).toBe(accepted.length);
      }),
    );
  });

  it('is accepted in the order of time only', () => {
    expect(useSteps({ usedSteps: '[-1,100]' }, [99], 101)).toBeNull();
    expect(useSteps({ usedSteps: '[-1,100,101]' }, [100], 101)).toBeNull();
    expect(useSteps({ usedSteps: '[100]' }, [99], 98)).toBeNull();
  });

  it('uses up all steps that have its code', () => {
    expect(useSteps({ usedSteps: '[5]' }, [7, 8], 8)).toBe('[5,7,8]');
    expect(useSteps({ usedSteps: '[5,8]' }, [8, 9], 9)).toBeNull();
  });

  it('is accepted again after the clock was ten minutes ahead and the owner used all its codes', () => {
    const ahead = Array.from({ length: 20 }, (_, at) => 120 + at);
    const back = Array.from({ length: 60 }, (_, at) => 102 + at);
    expect(acceptedOf([100, 101, ...ahead, ...back])).toEqual([
      100,
      101,
      ...ahead,
      ...back.filter((at) => at < 119 || at > 139),
    ]);
  });

  it('is not forgotten when the list is full', () => {
    const many = Array.from({ length: 100 }, (_, at) => 1_000 + 10 * at);
    expect(acceptedOf([...many, ...many])).toEqual(many);
  });
});
