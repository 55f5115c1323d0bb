import { expect, it } from 'vitest';
import type { LiveRouter } from '../live-router.ts';
import { FullStates } from './full-states.ts';

it('a router may forget what it gets while its full state is being sent, and for some time after', async () => {
  const turn = Promise.withResolvers<void>();
  const sent: number[] = [];
  const router = {
    id: 'router',
    channel: { isOpen: true, turn: () => turn.promise },
    send: ({ type }: { readonly type: number }) => sent.push(type) > 0,
  } as unknown as LiveRouter;
  const sessions = Array.from({ length: 150 }, (_, at) => ({ id: `${at}`, routerIds: new Set(['router']) }));
  const states = new FullStates({
    known: { all: () => sessions as never },
    newId: () => 'id',
    message: (of) => ({ type: of.length }),
  });
  expect(states.isSettling(router)).toBe(false);
  const sending = states.send(router);
  await Promise.resolve();
  expect([sent, states.isSettling(router)]).toEqual([[100], true]);
  let isSent = false;
  const waiting = states.whenSent(router).then(() => {
    isSent = true;
  });
  await Promise.resolve();
  expect(isSent).toBe(false);
  turn.resolve();
  await Promise.all([sending, waiting]);
  expect([sent, states.isSettling(router)]).toEqual([[100, 50], true]);
});
