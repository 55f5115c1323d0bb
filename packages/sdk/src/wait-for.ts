import { checkName } from './check-names.ts';
import { withDeadline } from './deadline.ts';
import type { Events } from './events.ts';
import type { CallOptions } from './options.ts';
import type { ClientState } from './session-state.ts';

const stateNames: readonly ClientState[] = ['signed-out', 'partial', 'active', 'stale', 'expired'];

interface Waiting {
  readonly events: Events;
  readonly state: () => ClientState;
  readonly disposed: AbortSignal;
}

/** Waits until the client has one of the states. */
export async function waitFor(
  { events, state, disposed }: Waiting,
  states: ClientState | readonly ClientState[],
  { signal, timeout = Number.POSITIVE_INFINITY }: CallOptions = {},
): Promise<ClientState> {
  const wanted = [states].flat();
  for (const one of wanted) checkName(one, stateNames, 'state');
  const done = new AbortController();
  const wait = () =>
    new Promise<ClientState>((resolve, reject) => {
      const check = () => wanted.includes(state()) && resolve(state());
      disposed.throwIfAborted();
      disposed.addEventListener('abort', () => reject(disposed.reason), { signal: done.signal });
      events.on('stateChange', check, { signal: done.signal });
      check();
    });
  return withDeadline({ signal, timeout, target: `waitFor(${wanted})` }, wait).finally(() => done.abort());
}
