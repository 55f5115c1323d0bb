import type { ApiSessionHeartbeat, ConnectEvents, ValidateSessionsRequest } from '@edge-controller/router-messages';
import { encode, SessionRemovedSchema } from '@edge-controller/router-messages';
import { controlTypes } from '@edge-controller/shared-types/channel';
import { tokenHash } from '../../core/secrets/ids.ts';
import { endRefused } from '../../sessions/end-refused.ts';
import { placeOfServiceSession } from '../../storage/session-store/service-session-id.ts';
import type { Message } from '../channel/message.ts';
import type { MessageHandler, RouterCall, RouterHandler } from '../dependencies.ts';
import { mayUseRouter } from '../session-use.ts';
import { removed } from '../sessions/session-messages.ts';

/** Sessions that are looked up in one turn. */
const batchSize = 50;
const maxTokens = 20_000;
/** Characters of the id of an identity, at most. */
const maxIdLength = 100;

/**
 * The tokens whose applications are connected: their API sessions are in use, if they are those of the router. It forgets the others, and
 * those that do not live.
 */
export const apiSessionHeartbeat: MessageHandler<ApiSessionHeartbeat> = async (call, { tokens: all }) => {
  const { router, apiSessions } = call;
  const tokens = all.slice(0, maxTokens);
  const unknown: string[] = [];
  for await (const batch of router.channel.parts(tokens, batchSize)) {
    const isLive = await Promise.all(
      batch.map(async (token) => {
        if (!(await apiSessions.isGiven(router, token))) return false;
        return await touch(call, token);
      }),
    );
    unknown.push(...batch.filter((_, index) => !isLive[index]));
  }
  if (unknown.length > 0) router.send(removed(unknown));
};

/** Restarts the timeout of an API session. False: it has ended. */
async function touch(call: RouterCall, token: string): Promise<boolean> {
  const { sessions, principals } = call;
  const { session, version } = await sessions.touch(tokenHash(token));
  if (!session) return false;
  const { record } = session;
  if (principals.known(record, version) ?? (await principals.get(record, version))) return true;
  await endRefused(call, session);
  return false;
}

export const requestClientResync: RouterHandler = ({ router, apiSessions }) => apiSessions.sendAll(router);

/** The sessions of services that a router still has after a reconnect. */
export const validateSessions: MessageHandler<ValidateSessionsRequest> = async (call, { sessionTokens }) => {
  const { router, sessions, serviceAccess, serviceSessions, apiSessions } = call;
  const ids = sessionTokens.slice(0, maxTokens);
  const ended: string[] = [];
  for await (const batch of router.channel.parts(ids, batchSize)) {
    const found = await Promise.all(batch.map((id) => sessions.serviceSessions.find(id)));
    const valid = await serviceSessions.validate(found.filter((session) => session !== null));
    const judged = await Promise.all(
      valid.map(async ({ session }) =>
        (await mayUseRouter(serviceAccess, { session, routerId: router.id })) ? [session] : [],
      ),
    );
    const live = new Map(judged.flat().map((session) => [session.id, session]));
    ended.push(...batch.filter((id) => !live.has(id)));
    router.takeOver([...live.values()]);
  }
  if (ended.length === 0) return;
  router.send(sessionsRemoved(ended));
  await apiSessions.disconnect(router, apiSessionIdsOf(ended));
};

/** The API sessions that sessions of services belong to. */
export function apiSessionIdsOf(sessionIds: readonly string[]): string[] {
  return sessionIds.flatMap((id) => placeOfServiceSession(id)?.apiSessionId ?? []);
}

/** Which identities have applications that are connected: all, or what has changed. */
export const connectEvents: MessageHandler<ConnectEvents> = ({ router, network }, { events, fullState }) => {
  const identities = new Set(fullState ? [] : router.identities);
  for (const { identityId, isConnected } of events.filter(({ identityId: id }) => id.length <= maxIdLength)) {
    if (!isConnected) identities.delete(identityId);
    else if (identities.size < maxTokens) identities.add(identityId);
  }
  router.identities = identities;
  network.setApplications(router.id, identities);
};

/** The message that sessions of services have ended. A router looks at the ids, and counts the tokens. */
export function sessionsRemoved(ids: readonly string[]): Message {
  return { type: controlTypes.sessionRemoved, body: encode(SessionRemovedSchema, { ids: [...ids], tokens: [...ids] }) };
}
