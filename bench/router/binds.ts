import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateTerminatorRequestSchema,
  CreateTerminatorResponseSchema,
  CreateTerminatorResult,
  decode,
  encode,
} from '@edge-controller/router-messages';
import { controlTypes } from '@edge-controller/shared-types/channel';
import type { Done, Order } from './order.ts';
import type { Parts } from './router.ts';

/** Requests without an answer at a time. A router waits for none. */
const maxWaiting = 256;
/** Milliseconds between two looks at how many are due. */
const tick = 2;

export async function refuseBinds(
  { application: { apiSessionToken, edge, session }, onlineRouter }: Parts,
  { sessions, rate, seconds }: Extract<Order, { kind: 'binds' }>,
): Promise<Done> {
  const ended = await session('Bind');
  await edge.sessions.delete(ended.id);
  const router = await onlineRouter();
  const counts = { sent: 0, answered: 0 };
  const stop = router.observe(({ channel, direction, frame }) => {
    if (channel !== 'control' || direction !== 'received' || frame.type !== controlTypes.createTerminatorResponse)
      return;
    const { result } = decode(CreateTerminatorResponseSchema, frame.body);
    if (result !== CreateTerminatorResult.INVALID_SESSION) throw new Error(`a bind has the result ${result}`);
    counts.answered += 1;
  });
  const send = () => {
    counts.sent += 1;
    const sessionToken = sessions === 'one' ? ended.token : randomUUID();
    const request = { address: `t${counts.sent}`, sessionToken, apiSessionToken };
    router.raw({ type: controlTypes.createTerminator, body: encode(CreateTerminatorRequestSchema, request) });
  };
  const start = performance.now();
  const passed = () => performance.now() - start;
  while (passed() < seconds * 1_000) {
    const due = rate === null ? counts.answered + maxWaiting : (passed() * rate) / 1_000;
    while (counts.sent < due) send();
    await (rate === null ? new Promise(setImmediate) : sleep(tick));
  }
  while (counts.answered < counts.sent) await sleep(tick);
  stop();
  return { count: counts.answered, seconds: passed() / 1_000 };
}
