import { filter, isEdgeApiError } from '@edge-controller/sdk';
import { edge } from '../../session/edge.ts';

/** Sessions that end at the same time. */
const batchSize = 10;

/** Ends one API session, also when it has ended meanwhile. */
export async function endSession(id: string): Promise<void> {
  await edge.management.apiSessions.delete(id).catch((error: unknown) => {
    if (!isEdgeApiError(error, 'NOT_FOUND')) throw error;
  });
}

/** Ends all API sessions that an identity has, except that of this page. Returns how many. */
export async function endSessionsOf(identityId: string): Promise<number> {
  const own = edge.session?.id ?? '';
  let ended = 0;
  // Each batch is gone when the next one is read.
  for (;;) {
    const query = { filter: filter`identity = ${identityId} and id != ${own}`, limit: batchSize };
    const { data } = await edge.management.apiSessions.list(query);
    if (data.length === 0) return ended;
    await Promise.all(data.map(({ id }) => endSession(id)));
    ended += data.length;
  }
}
