import type { EdgeEvents } from '../api/edge-events.ts';

/** The names of the events of a client. */
export const eventNames: readonly (keyof EdgeEvents)[] = [
  'stateChange',
  'session',
  'extended',
  'expiring',
  'expired',
  'signedOut',
];
