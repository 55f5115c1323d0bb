import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { HandshakeTurns } from './handshake-turns.ts';

const trusted = '192.0.2.1';
const unknown = ['198.51.100.1', '198.51.100.2'] as const;
/** Milliseconds of each step. */
const duration = 3;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  vi.spyOn(performance, 'now').mockImplementation(() => Date.now());
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Adds steps for each address. Resolves to the address and the start of each step, in the order in which they ran. */
async function take(counts: Readonly<Record<string, number>>) {
  const turns = new HandshakeTurns((address) => address === trusted);
  const taken: { address: string; at: number }[] = [];
  for (const [address, count] of Object.entries(counts)) {
    for (let step = 0; step < count; step += 1) {
      const run = () => {
        taken.push({ address, at: performance.now() });
        vi.setSystemTime(Date.now() + duration);
      };
      turns.add(address, { run, work: 0, isBegun: false });
    }
  }
  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  while (taken.length < total) await vi.advanceTimersByTimeAsync(1);
  return taken;
}

describe('turns of handshakes', () => {
  it('let an unknown address wait four times as long as its steps took', async () => {
    const count = 40;
    const taken = await take({ [unknown[0]]: count });
    // It may owe 200 ms.
    expect(taken.at(-1)!.at - taken[0]!.at).toBeGreaterThan((count - 1) * duration * 4 - 200);
  });

  it('let neither the others wait nor an address where a session was used', async () => {
    const [busy, other] = unknown;
    const taken = await take({ [busy]: 100, [other]: 5, [trusted]: 100 });
    const lastOf = (address: string) => taken.findLastIndex((step) => step.address === address);
    expect(lastOf(other)).toBeLessThan(20);
    expect(lastOf(trusted)).toBeLessThan(lastOf(busy));
  });

  it('go on with a handshake before they begin another one of its address', async () => {
    const turns = new HandshakeTurns(() => false);
    const taken: string[] = [];
    const add = (name: string, isBegun: boolean, then?: () => void) => {
      const run = () => {
        taken.push(name);
        then?.();
      };
      turns.add(unknown[0], { run, work: 0, isBegun });
    };
    add('the first step', false, () => add('the second step', true));
    add('another handshake', false);
    while (taken.length < 3) await vi.advanceTimersByTimeAsync(1);
    expect(taken).toEqual(['the first step', 'the second step', 'another handshake']);
  });
});
