import type { ControllerEvents } from '../events/events.ts';
import type { SessionKey } from '../session-store/session-key.ts';
import type { Services } from './services.ts';

type EndServices = Pick<Services, 'endedSessions' | 'entities' | 'outbox' | 'sessions'>;

/**
 * Ends an API session for good, also if the session store loses its removal. Returns false when the session does not exist
 * any more.
 *
 * @throws ApiError `STORE_UNAVAILABLE` when a store cannot be reached. The session may have ended.
 */
export async function endSession(services: EndServices, session: SessionKey): Promise<boolean> {
  const { endedSessions, entities, outbox, sessions } = services;
  await endedSessions.add(session.tokenHash);
  try {
    return await sessions.remove(session);
  } catch (error) {
    // Every replica must read again that the session has ended.
    await entities.transaction((tx) => outbox.add(tx, { kind: 'changed' }));
    throw error;
  }
}

/** Ends an API session because of a request, and emits the event of its end. False: it does not exist any more. */
export async function endSessionBy(
  services: EndServices & Pick<Services, 'events'>,
  session: SessionKey,
  by: ControllerEvents['apiSessionRemoved']['by'],
): Promise<boolean> {
  const hasEnded = await endSession(services, session);
  const { id: apiSessionId, identityId } = session;
  if (hasEnded) services.events.emit('apiSessionRemoved', { apiSessionId, identityId, by });
  return hasEnded;
}
