import { expect, test } from 'vitest';
import type { ClientState } from '../api/client-state.ts';
import type { StateTrigger } from './session-state.ts';
import { nextState } from './session-state.ts';

const triggers = [
  ...['begunPartial', 'begunFull', 'shownPartial', 'shownFull'],
  ...['unreachable', 'timePassed', 'ended', 'signedOut'],
] as StateTrigger[];

// One column for each trigger, in the order above.
const withoutSession = ['partial', 'active', '', '', '', '', '', 'signed-out'];
const withSession = ['partial', 'active', 'partial', 'active', 'stale', 'stale', 'expired', 'signed-out'];

test.each<[ClientState, string[]]>([
  ['signed-out', withoutSession],
  ['expired', withoutSession],
  ['partial', withSession],
  ['active', withSession],
  ['stale', withSession],
])('from %s every trigger leads to one state', (state, next) => {
  expect(triggers.map((trigger) => nextState(state, trigger))).toEqual(next.map((one) => one || state));
});
