import { beforeEach, describe, expect, it } from 'vitest';
import type { NewEntry } from './entry.ts';
import { Repeats } from './repeats.ts';

const entry = (event: NewEntry['event'], members: Partial<NewEntry> = {}): NewEntry => ({
  ...{ createdAt: '2026-01-01T00:00:00.000Z', event, outcome: 'success', identityId: null, details: '{}' },
  ...{ entityType: null, entityId: null, ipAddress: null, requestId: null, ...members },
});
const identity = (id: string) => ({ kind: 'identity', id }) as const;

describe('while unauthenticated clients use all groups of addresses that there are', () => {
  let repeats: Repeats;
  const refusal = entry('enrollment.refused', { outcome: 'failure', ipAddress: '2001:db8::1' });
  const ofUnauthenticated = (at: number) => repeats.isFirst(refusal, { kind: 'address', id: `2001:db8:0:${at}::/64` });
  beforeEach(() => {
    repeats = new Repeats();
    for (let at = 0; at < 10_000; at += 1) expect(ofUnauthenticated(at)).toBe(true);
    expect(ofUnauthenticated(10_000)).toBe(false);
  });

  it('what is done in the name of an identity has its entry', () => {
    const removal = entry('mfa.removed', { identityId: 'ada', entityId: 'ada' });
    expect(repeats.isFirst(removal, identity('ada'))).toBe(true);
    expect(repeats.isFirst(removal, identity('ada'))).toBe(false);
    expect(repeats.take()).toContainEqual(removal);
  });

  it('their further entries are one, which names none of them', () => {
    for (let at = 10_001; at < 10_005; at += 1) expect(ofUnauthenticated(at)).toBe(false);
    const { createdAt: since } = refusal;
    expect(repeats.take()).toEqual([{ ...refusal, ipAddress: null, details: JSON.stringify({ count: 5, since }) }]);
    expect(ofUnauthenticated(10_000)).toBe(true);
  });
});
