import type { CallOptions } from '../api/call-options.ts';
import type { ClientState } from '../api/client-state.ts';
import { withDeadline } from '../errors/deadline.ts';
import { checkName } from '../lib/check-names.ts';
import type { ClientEvents } from '../session/client-events.ts';

const stateNames: readonly ClientState[] = ['signed-out', 'unknown', 'partial', 'active', 'stale', 'expired'];

interface Waiting {
  readonly events: ClientEvents;
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
