import type { ActiveSession } from './active-session.ts';
import { endSession } from './end-session.ts';
import { noteExpired } from './note-expired.ts';
import type { Services } from './services.ts';

/** Ends an API session that the store has, and that `Principals` does not let in. */
export async function endRefused(
  services: Pick<Services, 'audit' | 'endedSessions' | 'entities' | 'events' | 'outbox' | 'principals' | 'sessions'>,
  stored: ActiveSession['stored'],
): Promise<void> {
  // A sign-out that waits here says in the audit log who has ended the session.
  await services.outbox.drain().catch(() => undefined);
  const isOver = services.principals.isOver(stored);
  await endSession(services, stored);
  // Its limit was lowered: what the store knows of it ends it later.
  if (isOver) await noteExpired(services, [stored]);
}
