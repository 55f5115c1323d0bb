import type { ActiveSession } from './active-session.ts';
import type { Dependencies } from './dependencies.ts';
import { endSession } from './end-session.ts';
import { recordExpired } from './record-expired.ts';

/** Ends an API session that the store has, and that `Principals` does not let in. */
export async function endRefused(
  dependencies: Pick<
    Dependencies,
    'audit' | 'endedSessions' | 'database' | 'events' | 'outbox' | 'principals' | 'sessions'
  >,
  stored: ActiveSession['stored'],
): Promise<void> {
  // A sign-out that waits here says in the audit log who has ended the session.
  await dependencies.outbox.drain().catch(() => undefined);
  const isOver = dependencies.principals.isOver(stored);
  await endSession(dependencies, stored);
  // Its limit was lowered: what the store knows of it ends it later.
  if (isOver) await recordExpired(dependencies, [stored]);
}
