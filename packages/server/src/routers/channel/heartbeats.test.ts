import { setImmediate as nextTurn } from 'node:timers/promises';
import { controlHeaders, headerValue, readHeader } from '@edge-controller/shared-types/channel';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Heartbeats } from './heartbeats.ts';
import type { Headers } from './message.ts';

const { heartbeat, heartbeatResponse } = controlHeaders;

describe('the heartbeats of a channel', () => {
  let silences: number;
  /** What was sent for heartbeats alone. */
  let sent: Map<number, Uint8Array>[];
  let beats: Heartbeats;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] });
    silences = 0;
    sent = [];
    beats = new Heartbeats({
      send: () => sent.push(new Map(beats.headers())),
      onSilence: () => {
        silences += 1;
      },
    });
    beats.start();
  });
  afterEach(() => {
    beats.stop();
    vi.useRealTimers();
  });

  const answer = (beat: Headers) =>
    beats.receive(new Map([[heartbeatResponse, beat.get(heartbeat) ?? new Uint8Array()]]));
  const keysOf = (all: readonly Headers[]) => all.map((headers) => [...headers.keys()]);

  it('are sent every 10 seconds, each with the time in nanoseconds', () => {
    vi.advanceTimersByTime(10_000);
    expect(sent).toEqual([]);
    vi.advanceTimersByTime(1_000);
    expect(keysOf(sent)).toEqual([[heartbeat]]);
    const [first] = sent;
    expect(readHeader.u64(first?.get(heartbeat))).toBeGreaterThan(0n);
    vi.advanceTimersByTime(10_000);
    expect(sent).toHaveLength(1);
    vi.advanceTimersByTime(1_000);
    expect(sent).toHaveLength(2);
  });

  it('of the other side come back with the next frame, once, or without one', async () => {
    const beat = headerValue.u64(12_345n);
    const receive = () => beats.receive(new Map([[heartbeat, beat]]));
    receive();
    expect(beats.headers()).toEqual([[heartbeatResponse, beat]]);
    expect(beats.headers()).toEqual([]);
    await nextTurn();
    expect(sent).toEqual([]);
    receive();
    await nextTurn();
    expect(sent).toEqual([new Map([[heartbeatResponse, beat]])]);
  });

  it('do not keep the frame in memory that brought one', () => {
    const frame = new Uint8Array(1_000_000);
    beats.receive(new Map([[heartbeat, frame.subarray(500, 508)]]));
    const [[, value] = [0, frame]] = beats.headers();
    expect(value.buffer.byteLength).toBe(8);
  });

  it('end the channel when the first is not answered for 90 seconds', () => {
    vi.advanceTimersByTime(90_000);
    expect(silences).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect(silences).toBe(1);
  });

  it('end it when a later one is not answered for 30 seconds', () => {
    vi.advanceTimersByTime(80_000);
    answer(sent[0] ?? new Map());
    vi.advanceTimersByTime(30_000);
    expect(silences).toBe(0);
    answer(sent[1] ?? new Map());
    vi.advanceTimersByTime(30_000);
    expect(silences).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect(silences).toBe(1);
  });

  it('end with the channel', () => {
    beats.stop();
    vi.advanceTimersByTime(200_000);
    expect([sent, silences]).toEqual([[], 0]);
  });

  it('of another length are none', () => {
    expect(() => beats.receive(new Map([[heartbeat, Uint8Array.of(1)]]))).toThrow('8');
  });
});
