import { create } from '@bufbuild/protobuf';
import { ApiSessionSchema } from '@edge-controller/router-messages';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Timers } from '../timers.ts';
import { ApiSessions } from './api-sessions.ts';
import { RouterCrash, readSyncState } from './sync-state.ts';

const timers = new Timers();
afterEach(() => timers.clear());

function setUp(syncTime = 10_000) {
  const [onRemoved, onSynced, onIncomplete] = [vi.fn(), vi.fn(), vi.fn()];
  const sessions = new ApiSessions({ timers, syncTime, onRemoved, onSynced, onIncomplete });
  return { sessions, onRemoved, onSynced, onIncomplete };
}

const session = (name: string) => create(ApiSessionSchema, { token: `token of ${name}`, id: name });
const tokens = (sessions: ApiSessions) => sessions.all().map(({ id }) => id);
const part = (id: string, sequence: number, isLast = false) => ({ id, sequence, isLast });

describe('the full state of API sessions', () => {
  it('of several parts removes the others as soon as all parts are there, in any order', () => {
    const { sessions, onSynced, onRemoved } = setUp();
    sessions.put([session('a'), session('b')]);
    sessions.addPart([session('d')], part('s1', 2, true));
    sessions.addPart([session('c')], part('s1', 0));
    expect([tokens(sessions), onSynced.mock.calls]).toEqual([['a', 'b', 'd', 'c'], []]);
    sessions.addPart([session('b')], part('s1', 1));
    expect([tokens(sessions), onRemoved.mock.calls]).toEqual([['b', 'd', 'c'], [['token of a']]]);
    expect(onSynced).toHaveBeenCalledOnce();
  });

  it('leaves sessions with a greater id, which began after it was made', () => {
    const { sessions } = setUp();
    sessions.put([session('a'), session('z')]);
    sessions.addPart([session('c')], part('s1', 0, true));
    expect(tokens(sessions)).toEqual(['z', 'c']);
  });

  it('that is empty removes all', () => {
    const { sessions } = setUp();
    sessions.put([session('a'), session('z')]);
    sessions.addPart([], part('s1', 0, true));
    expect(sessions.size).toBe(0);
  });

  it('gives way to a newer one, and an older one changes nothing', () => {
    const { sessions, onSynced } = setUp();
    sessions.addPart([session('a')], part('s2', 0));
    sessions.addPart([session('b')], part('s3', 0));
    sessions.addPart([session('a')], part('s2', 1, true));
    expect(onSynced).not.toHaveBeenCalled();
    sessions.addPart([], part('s3', 1, true));
    expect([tokens(sessions), onSynced.mock.calls.length]).toEqual([['b'], 1]);
  });

  it('is asked for again when it is not complete in time', async () => {
    const { sessions, onIncomplete } = setUp(10);
    sessions.addPart([session('a')], part('s1', 0));
    await vi.waitFor(() => expect(onIncomplete).toHaveBeenCalledOnce());
  });

  it.each(['no JSON', '{}', '{"id":""}', '{"id":1}', 'null'])('with the state %j ends a router', (text) => {
    expect(() => readSyncState(text)).toThrow(RouterCrash);
  });
});

describe('an unknown token', () => {
  it('is waited for', async () => {
    const { sessions } = setUp();
    const waiting = sessions.wait('token of a', 10_000);
    sessions.put([session('a')]);
    expect((await waiting)?.id).toBe('a');
    expect((await sessions.wait('token of a', 0))?.id).toBe('a');
  });

  it('is given up after this time, and when the router stops', async () => {
    const { sessions } = setUp();
    expect(await sessions.wait('x', 5)).toBeNull();
    const waiting = sessions.wait('x', 10_000);
    sessions.clear();
    expect(await waiting).toBeNull();
  });
});
