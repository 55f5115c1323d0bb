import type { StorageChannel, TokenStorage } from '../api/token-storage.ts';
import { systemClock } from '../lib/clock.ts';
import { createQueue } from '../lib/queue.ts';
import type { WebStorageLike } from './area-storage.ts';
import { isKept } from './area-storage.ts';

/** The longest wait for the lock in milliseconds. A tab that hangs must not stop the others. */
const maxWait = 2_000;
/** Milliseconds that a change of the `localStorage` may take until other tabs see it. */
const settleTime = 20;

interface Browser {
  readonly BroadcastChannel?: new (name: string) => Channel;
  readonly navigator?: { readonly locks?: Locks };
  addEventListener?(type: 'storage', listener: (event: StorageChange) => void, options: { signal: AbortSignal }): void;
}
interface Channel {
  onmessage: ((event: { data: unknown }) => void) | null;
  postMessage(message: unknown): void;
  close(): void;
}
interface Locks {
  request(name: string, options: { signal: AbortSignal }, run: () => Promise<void>): Promise<void>;
}
interface StorageChange {
  readonly key: string | null;
  readonly newValue: string | null;
}

/** The area, or nothing on a server. */
type Open = () => WebStorageLike | undefined;

const browser = () => globalThis as unknown as Browser;
const sleep = (time: number) => new Promise<void>((resolve) => setTimeout(resolve, time));

/** How the tabs of one origin share what is in the `localStorage`. */
export function shareInBrowser(open: Open): Pick<TokenStorage, 'share' | 'exclusive'> {
  const inThisTab = createQueue();

  function share(key: string, listener: (message: unknown) => void): StorageChannel {
    const { BroadcastChannel } = browser();
    if (open() === undefined) return { post: () => undefined, close: () => undefined };
    if (BroadcastChannel === undefined) return shareByStorage(open, key, listener);
    const channel = new BroadcastChannel(key);
    channel.onmessage = ({ data }) => listener(data);
    return { post: (message) => channel.postMessage(message), close: () => channel.close() };
  }

  async function exclusive<T>(key: string, section: () => Promise<T>): Promise<T> {
    if (open() === undefined) return section();
    const locks = browser().navigator?.locks;
    if (locks === undefined) {
      return inThisTab(key, async () => {
        const unlock = await lockByStorage(open, key);
        return section().finally(() => void sleep(settleTime).then(unlock));
      });
    }
    return new Promise<T>((resolve, reject) => {
      let isRun = false;
      async function run(): Promise<void> {
        if (isRun) return;
        isRun = true;
        await section().then(resolve, reject);
        await sleep(settleTime);
      }
      // Too long a wait, or a page without access to locks: the section runs without one.
      locks.request(key, { signal: AbortSignal.timeout(maxWait) }, run).catch(run);
    });
  }

  return { share, exclusive };
}

/** With the `storage` event, for browsers without `BroadcastChannel`. */
function shareByStorage(open: Open, key: string, listener: (message: unknown) => void): StorageChannel {
  const closed = new AbortController();
  const messageKey = `${key} message`;
  const read = (event: StorageChange) => {
    if (event.key === messageKey && event.newValue !== null) listener(parsed(event.newValue));
  };
  browser().addEventListener?.('storage', read, { signal: closed.signal });
  return {
    post(message) {
      open()?.setItem(messageKey, JSON.stringify(message));
      open()?.removeItem(messageKey);
    },
    close: () => closed.abort(),
  };
}

/** Without Web Locks: writes a name, waits, and has the lock if the name is still there. */
async function lockByStorage(open: Open, key: string): Promise<() => unknown> {
  const lockKey = `${key} lock`;
  const name = String(Math.random());
  for (const end = systemClock() + maxWait; systemClock() < end; await sleep(settleTime * (1 + Math.random()))) {
    const area = open();
    if (!isFree(area?.getItem(lockKey))) continue;
    if (!area || !isKept(area, lockKey, JSON.stringify([name, systemClock() + maxWait]))) break;
    await sleep(settleTime);
    if (open()?.getItem(lockKey)?.includes(name)) break;
  }
  // After a wait in vain, this tab does not have the lock.
  return () => open()?.getItem(lockKey)?.includes(name) && open()?.removeItem(lockKey);
}

function isFree(text: string | null | undefined): boolean {
  const note = text ? parsed(text) : undefined;
  const left = Array.isArray(note) ? Number(note[1]) - systemClock() : 0;
  return !(left > 0 && left <= maxWait);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
