import { describe, expect, it, vi } from 'vitest';
import type { Application } from './circuit-end.ts';
import { CircuitEnd } from './circuit-end.ts';
import type { Item } from './item.ts';

/** Two ends with a way between them that can lose what passes it. */
function setUp({ keepsUp = () => true }: { keepsUp?: () => boolean } = {}) {
  const applications = [application(), application(keepsUp)] as const;
  const way = { isBroken: false };
  const ends: [CircuitEnd, CircuitEnd] = [end(0), end(1)];
  return { ends, applications, way };

  function end(at: 0 | 1): CircuitEnd {
    const forward = (item: Item) => void (way.isBroken || ends[at === 0 ? 1 : 0].take('c', item));
    const [ingress, onClosed] = [at === 0, vi.fn()];
    return new CircuitEnd({
      ...{ circuitId: 'c', address: String(at), isIngress: ingress, application: applications[at], forward, onClosed },
    });
  }
}

function application(keepsUp = () => true) {
  const got: string[] = [];
  const waiting: (() => void)[] = [];
  const paused = { is: false };
  const all: Application = {
    deliver(_flags, body) {
      got.push(Buffer.from(body).toString());
      return keepsUp();
    },
    whenReady: (run) => void waiting.push(run),
    ended: (reason) => void got.push(`ended: ${reason}`),
    pause: () => {
      paused.is = true;
    },
    resume: () => {
      paused.is = false;
    },
  };
  return { ...all, got, waiting, paused };
}

const bytes = (text: string) => Buffer.from(text);

describe('the ends of a circuit', () => {
  it('carry data in order, and close each other', () => {
    const { ends, applications } = setUp();
    ends[0].send(undefined, bytes('a'));
    ends[1].send(1, bytes('b'));
    ends[0].send(undefined, bytes('c'));
    ends[0].close();
    ends[1].send(undefined, bytes('late'));
    expect([applications[0].got, applications[1].got]).toEqual([['b'], ['a', 'c', 'ended: close called']]);
  });

  it('pause an application while the other one does not keep up', () => {
    const { ends, applications } = setUp({ keepsUp: () => false });
    const body = Buffer.alloc(100_000);
    for (let sent = 0; sent < 3; sent += 1) ends[0].send(undefined, body);
    expect(applications[0].paused.is).toBe(true);
    for (const run of applications[1].waiting.splice(0)) run();
    expect(applications[0].paused.is).toBe(false);
  });

  it('send again what was lost, once and in order', () => {
    const { ends, applications, way } = setUp();
    ends[0].send(undefined, bytes('a'));
    way.isBroken = true;
    ends[0].send(undefined, bytes('b'));
    ends[0].send(undefined, bytes('c'));
    way.isBroken = false;
    ends[0].send(undefined, bytes('d'));
    expect(applications[1].got).toEqual(['a']);
    expect(ends[0].sendAgain(ends[0].sent)).toBe(true);
    expect(applications[1].got).toEqual(['a', 'b', 'c', 'd']);
    expect(ends[0].sendAgain(ends[0].sent)).toBe(false);
  });

  it('do not deliver twice when an acknowledgement was lost', () => {
    const { ends, applications, way } = setUp();
    ends[1].take('c', { kind: 'data', sequence: 1, flags: undefined, body: bytes('a') });
    way.isBroken = true;
    ends[0].send(undefined, bytes('a'));
    way.isBroken = false;
    ends[0].sendAgain(1);
    expect(applications[1].got).toEqual(['a']);
    expect(ends[0].sendAgain(1)).toBe(false);
  });
});
