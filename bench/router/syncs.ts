import { controlTypes, frameHead } from '@edge-controller/shared-types/channel';
import type { Order, Syncs } from './order.ts';
import type { Parts } from './router.ts';

const longest = 60_000;

export async function timeSyncs(
  { startRouter }: Parts,
  { seconds }: Extract<Order, { kind: 'syncs' }>,
): Promise<Syncs> {
  const milliseconds: number[] = [];
  const start = performance.now();
  let last = { bytes: 0, frames: 0, sessions: 0 };
  do {
    const startedAt = performance.now();
    const router = await startRouter();
    const seen = { bytes: 0, frames: 0 };
    router.observe(({ channel, direction, frame }) => {
      if (channel !== 'control' || direction !== 'received' || frame.type !== controlTypes.apiSessionAdded) return;
      seen.bytes += frameHead(frame).length + frame.body.length;
      seen.frames += 1;
    });
    await router.whenOnline(longest);
    milliseconds.push(performance.now() - startedAt);
    last = { ...seen, sessions: router.state.apiSessions };
  } while (performance.now() - start < seconds * 1_000);
  return { ...last, milliseconds, count: milliseconds.length, seconds: (performance.now() - start) / 1_000 };
}
