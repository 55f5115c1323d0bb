import type { ClientCore } from './client-core.ts';
import { withDeadline } from './deadline.ts';
import type { CallOptions } from './options.ts';
import type { ClientState } from './session-state.ts';

/** Waits until the client has one of the states. */
export async function waitFor(
  { events, keeper, disposed }: Pick<ClientCore, 'events' | 'keeper' | 'disposed'>,
  states: ClientState | readonly ClientState[],
  { signal, timeout = Number.POSITIVE_INFINITY }: CallOptions = {},
): Promise<ClientState> {
  const wanted = [states].flat();
  const done = new AbortController();
  const wait = () =>
    new Promise<ClientState>((resolve, reject) => {
      const check = () => wanted.includes(keeper.state()) && resolve(keeper.state());
      disposed.throwIfAborted();
      disposed.addEventListener('abort', () => reject(disposed.reason), { signal: done.signal });
      events.on('stateChange', check, { signal: done.signal });
      check();
    });
  return withDeadline({ signal, timeout, target: `waitFor(${wanted})` }, wait).finally(() => done.abort());
}
