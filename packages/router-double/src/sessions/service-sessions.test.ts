import { describe, expect, it, vi } from 'vitest';
import { ServiceSessions } from './service-sessions.ts';

const watcher = (isDial = true) => ({ isDial, onRemoved: vi.fn<() => void>() });

describe('sessions of services', () => {
  it('end what lives by them', () => {
    const sessions = new ServiceSessions(1_000);
    const [one, other] = [watcher(), watcher()];
    sessions.watch('s1', one);
    sessions.watch('s2', other);
    sessions.remove(['s1', 'unknown']);
    expect([one.onRemoved.mock.calls.length, other.onRemoved.mock.calls.length]).toEqual([1, 0]);
  });

  it('that were removed a short time ago end what comes later', async () => {
    const sessions = new ServiceSessions(50);
    sessions.remove(['s1']);
    const [soon, late] = [watcher(), watcher()];
    sessions.watch('s1', soon);
    await vi.waitFor(() => expect(soon.onRemoved).toHaveBeenCalledOnce());
    await new Promise((resolve) => setTimeout(resolve, 60));
    sessions.watch('s1', late);
    await Promise.resolve();
    expect(late.onRemoved).not.toHaveBeenCalled();
  });

  it('with which something was dialed are known', () => {
    const sessions = new ServiceSessions(1_000);
    const end = sessions.watch('s1', watcher());
    sessions.watch('s2', watcher(false));
    expect(sessions.dialing()).toEqual(['s1']);
    end();
    expect(sessions.dialing()).toEqual([]);
  });
});
