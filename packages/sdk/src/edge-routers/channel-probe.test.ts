import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ChannelProbe } from './channel-probe.ts';

const second = 1_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** A channel that is used, and that answers when `answer` is true. */
function probed() {
  const state = { isUsed: true, isPaused: false, answer: true, asked: 0, ends: [] as string[] };
  const probe = new ChannelProbe({
    ask(answered) {
      state.asked += 1;
      if (state.answer) answered();
    },
    isUsed: () => state.isUsed,
    isPaused: () => state.isPaused,
    end: (why) => state.ends.push(why),
  });
  return { state, probe };
}

test('a router is asked at once, and every 30 seconds', () => {
  const { state, probe } = probed();
  expect([state.asked, probe.latency]).toEqual([1, 0]);
  vi.advanceTimersByTime(95 * second);
  expect([state.asked, state.ends]).toEqual([4, []]);
  probe.stop();
  vi.advanceTimersByTime(60 * second);
  expect(state.asked).toBe(4);
});

test('a router that sends nothing for 30 seconds, and does not answer, is dead', () => {
  const { state, probe } = probed();
  vi.advanceTimersByTime(25 * second);
  state.answer = false;
  vi.advanceTimersByTime(15 * second);
  expect([state.asked, state.ends]).toEqual([2, ['dead']]);
  probe.stop();
});

test('one that does not answer, and sends other things, is not', () => {
  const { state, probe } = probed();
  state.answer = false;
  for (let passed = 0; passed < 10; passed += 1) {
    probe.recordRead();
    vi.advanceTimersByTime(20 * second);
  }
  expect([state.asked, state.ends]).toEqual([2, []]);
  probe.stop();
});

test('while the channel waits for a connection that is full, nothing is said about the router', () => {
  const { state, probe } = probed();
  Object.assign(state, { answer: false, isPaused: true });
  vi.advanceTimersByTime(300 * second);
  expect(state.ends).toEqual([]);
  state.isPaused = false;
  vi.advanceTimersByTime(30 * second);
  expect(state.ends).toEqual(['dead']);
  probe.stop();
});

test('a channel that nobody uses for a minute is closed', () => {
  const { state, probe } = probed();
  vi.advanceTimersByTime(600 * second);
  state.isUsed = false;
  vi.advanceTimersByTime(50 * second);
  expect(state.ends).toEqual([]);
  vi.advanceTimersByTime(10 * second);
  expect(state.ends).toEqual(['idle']);
  probe.stop();
});
