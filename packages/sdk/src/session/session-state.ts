import type { ClientState } from '../api/client-state.ts';

/** What can happen to the session of a client. `partial` and `full`: the controller has shown it with or without queries.
 * `nothingStored`: the storage has no token of a session. */
export type StateTrigger =
  | 'begunPartial'
  | 'begunFull'
  | 'shownPartial'
  | 'shownFull'
  | 'unreachable'
  | 'timePassed'
  | 'ended'
  | 'signedOut'
  | 'nothingStored';

const states: Readonly<Record<StateTrigger, ClientState>> = {
  begunPartial: 'partial',
  begunFull: 'active',
  shownPartial: 'partial',
  shownFull: 'active',
  unreachable: 'stale',
  timePassed: 'stale',
  ended: 'expired',
  signedOut: 'signed-out',
  nothingStored: 'signed-out',
};

/** The state after a trigger. A trigger that needs a session changes nothing without one. */
export function nextState(state: ClientState, trigger: StateTrigger): ClientState {
  if (trigger === 'nothingStored' && state !== 'unknown') return state;
  const hasSession = /partial|active|stale/.test(state);
  return hasSession || /^begun|signedOut|nothing/.test(trigger) ? states[trigger] : state;
}
