import { expect, test } from 'vitest';
import type { ClientState, Happening } from './session-state.ts';
import { nextState } from './session-state.ts';

const happenings = [
  ...['begunPartial', 'begunFull', 'shownPartial', 'shownFull'],
  ...['unreachable', 'timePassed', 'ended', 'signedOut'],
] as Happening[];

// One column for each happening, in the order above.
const withoutSession = ['partial', 'active', '', '', '', '', '', 'signed-out'];
const withSession = ['partial', 'active', 'partial', 'active', 'stale', 'stale', 'expired', 'signed-out'];

test.each<[ClientState, string[]]>([
  ['signed-out', withoutSession],
  ['expired', withoutSession],
  ['partial', withSession],
  ['active', withSession],
  ['stale', withSession],
])('from %s every happening leads to one state', (state, next) => {
  expect(happenings.map((happening) => nextState(state, happening))).toEqual(next.map((one) => one || state));
});
