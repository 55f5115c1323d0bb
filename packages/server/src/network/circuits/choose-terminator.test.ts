import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { TerminatorCandidate, TerminatorRequest } from './choose-terminator.ts';
import { chooseTerminator, terminatorStrategies } from './choose-terminator.ts';

const candidate = (id: string, members: Partial<TerminatorCandidate> = {}): TerminatorCandidate => ({
  ...{ id, instanceId: '', precedence: 'default', cost: 0, dynamicCost: 0, pathCost: 0 },
  ...members,
});

const request = (members: Partial<TerminatorRequest> = {}): TerminatorRequest => ({
  ...{ strategy: 'smartrouting', instanceId: '', stickinessToken: null, random: () => 0 },
  ...members,
});

const chosenId = (candidates: readonly TerminatorCandidate[], members: Partial<TerminatorRequest> = {}) =>
  chooseTerminator(candidates, request(members)).terminator?.id;

/** How often each is chosen when the random numbers are spread evenly. */
function counts(candidates: readonly TerminatorCandidate[], strategy: string, draws = 10_000): Record<string, number> {
  const chosen: Record<string, number> = {};
  for (let at = 0; at < draws; at += 1) {
    const id = chosenId(candidates, { strategy, random: () => at / draws }) ?? '';
    chosen[id] = (chosen[id] ?? 0) + 1;
  }
  return chosen;
}

describe('smartrouting', () => {
  it('takes the terminator with the least cost of its own, its circuits and its path', () => {
    const candidates = [
      candidate('a', { cost: 10, pathCost: 20 }),
      candidate('b', { cost: 20, dynamicCost: 4 }),
      candidate('c', { pathCost: 25 }),
    ];
    expect(chooseTerminator(candidates, request())).toEqual({
      ...{ terminator: candidates[1], cost: 24, stickinessToken: null },
    });
  });

  it('takes the least id of those that cost the same, and is what any unknown strategy does', () => {
    const candidates = ['c', 'a', 'b'].map((id) => candidate(id));
    for (const strategy of ['smartrouting', '', 'unknown', '__proto__', 'toString'])
      expect(chosenId(candidates, { strategy })).toBe('a');
  });
});

describe('every strategy', () => {
  const strategy = fc.constantFrom(...terminatorStrategies, 'unknown');
  const cost = fc.integer({ min: 0, max: 65_535 });
  const candidates = fc.uniqueArray(
    fc.record({
      id: fc.string(),
      instanceId: fc.constantFrom('', 'blue'),
      precedence: fc.constantFrom('required', 'default', 'failed'),
      ...{ cost, dynamicCost: cost },
      pathCost: fc.oneof(fc.integer({ min: 0, max: 10_000_000 }), fc.constantFrom('offline', 'unreachable')),
    }),
    { selector: ({ id }) => id },
  );

  it('takes a reachable terminator with the instance id, of the highest precedence there is', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    const instanceId = fc.constantFrom('', 'blue');
    fc.assert(
      fc.property(candidates, strategy, random, instanceId, fc.string(), (all, name, number, instance, token) => {
        const usable = all.filter((one) => typeof one.pathCost === 'number' && one.instanceId === instance);
        const choice = chooseTerminator(
          all,
          request({ strategy: name, instanceId: instance, stickinessToken: token, random: () => number }),
        );
        expect(choice.terminator === null).toBe(usable.length === 0);
        if (!choice.terminator) return;
        expect(usable).toContain(choice.terminator);
        const best = ['required', 'default', 'failed'].find((name) => usable.some((one) => one.precedence === name));
        expect(choice.terminator.precedence).toBe(best);
        expect(choice.stickinessToken).toBe(name === 'sticky' ? choice.terminator.id : null);
      }),
    );
  });

  it('prefers a higher precedence at any cost', () => {
    const candidates = [
      candidate('failed', { precedence: 'failed' }),
      candidate('default', { cost: 65_535, pathCost: 9_000_000 }),
      candidate('required', { precedence: 'required', cost: 65_535, dynamicCost: 65_535, pathCost: 9_000_000 }),
    ];
    for (const name of terminatorStrategies) {
      expect(chosenId(candidates, { strategy: name, stickinessToken: 'failed' })).toBe('required');
      expect(chosenId(candidates.slice(0, 2), { strategy: name })).toBe('default');
      expect(chosenId(candidates.slice(0, 1), { strategy: name })).toBe('failed');
    }
  });
});

it('random takes each with the same chance, whatever it costs', () => {
  const candidates = [candidate('a', { cost: 1 }), candidate('b', { cost: 60_000 }), candidate('c'), candidate('d')];
  expect(counts(candidates, 'random')).toEqual({ a: 2_500, b: 2_500, c: 2_500, d: 2_500 });
});

it('weighted takes one that costs twice as much half as often', () => {
  const candidates = [
    candidate('a', { cost: 10 }),
    candidate('b', { cost: 5, pathCost: 15 }),
    candidate('c', { cost: 40 }),
  ];
  const { a = 0, b = 0, c = 0 } = counts(candidates, 'weighted', 70_000);
  expect([a, b, c].map((count) => Math.round(count / 100))).toEqual([400, 200, 100]);
  expect(counts([candidate('a'), candidate('b', { cost: 1 })], 'weighted')).toEqual({ a: 5_000, b: 5_000 });
});

describe('sticky', () => {
  const candidates = [candidate('a'), candidate('b', { cost: 50 }), candidate('f', { precedence: 'failed' })];
  const choose = (stickinessToken: string | null) =>
    chooseTerminator(candidates, request({ strategy: 'sticky', stickinessToken }));

  it('takes the terminator of the token, and the cheapest one without a token', () => {
    expect(choose('b')).toMatchObject({ terminator: { id: 'b' }, cost: 50, stickinessToken: 'b' });
    expect(choose(null)).toMatchObject({ terminator: { id: 'a' }, stickinessToken: 'a' });
  });

  it('falls back to another one, with its token, when the terminator is gone or has a lower precedence', () => {
    expect(choose('gone')).toMatchObject({ terminator: { id: 'a' }, stickinessToken: 'a' });
    expect(choose('f')).toMatchObject({ terminator: { id: 'a' }, stickinessToken: 'a' });
  });

  it('other strategies ignore tokens', () => {
    expect(chosenId(candidates, { stickinessToken: 'b' })).toBe('a');
  });
});

it.each([
  ['none', []],
  [
    'no instance',
    [candidate('a', { instanceId: 'blue' }), candidate('b', { instanceId: 'blue', pathCost: 'offline' })],
  ],
  ['offline', [candidate('a', { instanceId: 'blue' }), candidate('b', { pathCost: 'offline' })]],
  ['unreachable', [candidate('a', { pathCost: 'unreachable' }), candidate('b', { pathCost: 'offline' })]],
])('says that the problem is: %s', (problem, candidates) => {
  expect(chooseTerminator(candidates, request())).toEqual({ terminator: null, problem });
});
