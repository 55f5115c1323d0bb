import { controlTypes } from '@edge-controller/shared-types/channel';
import type { Order, Removal, Removals } from './order.ts';
import type { Parts } from './router.ts';

export async function timeRemovals(
  { admin, application, onlineRouter }: Parts,
  { count }: Extract<Order, { kind: 'removals' }>,
): Promise<Removals> {
  const router = await onlineRouter();
  const { management } = admin;
  /** Deletes it, and waits for the router to hear of it. */
  const remove = async (type: number, send: () => Promise<unknown>): Promise<Removal> => {
    const startedAt = performance.now();
    const since = () => performance.now() - startedAt;
    const heard = router.next(type).then(since);
    const [response, frame] = await Promise.all([send().then(since), heard]);
    return { response, frame };
  };
  const removals = { session: [] as Removal[], apiSession: [] as Removal[], checks: [] as number[] };
  for (let at = 0; at < count; at += 1) {
    const { id } = await application.session('Bind');
    removals.session.push(await remove(controlTypes.sessionRemoved, () => management.sessions.delete(id)));
    const added = router.next(controlTypes.apiSessionAdded);
    const other = await application.signInAgain();
    await added;
    removals.apiSession.push(
      await remove(controlTypes.apiSessionRemoved, () => management.apiSessions.delete(other.sessionId)),
    );
    other.dispose();
    const startedAt = performance.now();
    await admin.client.currentApiSession.get();
    removals.checks.push(performance.now() - startedAt);
  }
  return removals;
}
