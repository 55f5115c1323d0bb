import type { TokenStorage } from '../../src/index.ts';

interface AreaOptions {
  /** Delivers a message, or lets a storage go on, when the test wants it. Default: in a later turn. */
  readonly delay?: (() => Promise<unknown>) | undefined;
}

/** What the tabs of one browser share: values, messages and a lock. Each tab has a storage object of its own. */
export function sharedArea({ delay = () => new Promise((resolve) => setImmediate(resolve)) }: AreaOptions = {}) {
  const values = new Map<string, string>();
  const listeners = new Set<{ key: string; listener: (message: unknown) => void }>();
  const queues = new Map<string, Promise<unknown>>();
  const messages: unknown[] = [];
  const settings = { isMute: false };

  function post(key: string, message: unknown, sender?: object): void {
    messages.push(message);
    const copy = structuredClone(message);
    for (const one of listeners) {
      if (one === sender || one.key !== key || settings.isMute) continue;
      void delay().then(() => listeners.has(one) && one.listener(copy));
    }
  }

  const tab = (): TokenStorage => ({
    get: async (key) => delay().then(() => values.get(key) ?? null),
    set: async (key, value) => delay().then(() => void values.set(key, value)),
    remove: async (key) => delay().then(() => void values.delete(key)),
    share(key, listener) {
      const member = { key, listener };
      listeners.add(member);
      return { post: (message) => post(key, message, member), close: () => void listeners.delete(member) };
    },
    exclusive(key, section) {
      const run = (queues.get(key) ?? Promise.resolve()).then(section);
      queues.set(
        key,
        run.catch(() => undefined),
      );
      return run;
    },
  });
  return { values, messages, settings, tab, post };
}
