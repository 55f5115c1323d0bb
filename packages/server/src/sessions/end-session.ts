import type { Actor } from '../audit/entry-of.ts';
import type { ControllerEvents } from '../core/events/events.ts';
import type { SessionKey } from '../storage/session-store/session-key.ts';
import type { Dependencies } from './dependencies.ts';

type EndDependencies = Pick<Dependencies, 'endedSessions' | 'database' | 'outbox' | 'sessions'>;

/**
 * Ends an API session for good, also if the session store loses its removal. Returns false when the session does not exist
 * any more.
 *
 * @param record records the end in SQL
 * @throws ApiError `STORE_UNAVAILABLE` when a store cannot be reached. The session may have ended.
 */
export async function endSession(
  services: EndDependencies,
  session: SessionKey,
  record: () => Promise<void> = () => services.endedSessions.add(session.tokenHash),
): Promise<boolean> {
  const { database, outbox, sessions } = services;
  await record();
  try {
    return await sessions.remove(session);
  } catch (error) {
    // Every replica must read again that the session has ended.
    await database.transaction((tx) => outbox.add(tx, { kind: 'changed' }));
    throw error;
  }
}

/** Ends an API session because of a request, and emits the event of its end. False: it does not exist any more. */
export async function endSessionBy(
  call: EndDependencies & Pick<Dependencies, 'audit' | 'events'> & Actor,
  session: SessionKey,
  by: Exclude<ControllerEvents['apiSession.ended']['by'], 'timeout'>,
): Promise<boolean> {
  const { audit, endedSessions, events } = call;
  const { id: apiSessionId, identityId, tokenHash } = session;
  const removed = { name: 'apiSession.ended', payload: { apiSessionId, identityId, by } } as const;
  const hasEnded = await endSession(call, session, () =>
    endedSessions.addWith([tokenHash], (tx, added) => audit.append(tx, call, added.length > 0 ? [removed] : [])),
  );
  if (hasEnded) events.emit(removed.name, removed.payload);
  return hasEnded;
}
