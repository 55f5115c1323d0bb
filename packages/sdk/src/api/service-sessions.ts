import type { CallOptions } from './call-options.ts';
import type { ClientSessionsCalls } from './generated/calls.ts';
import type { SessionCreate, SessionDetail } from './generated/entities.ts';

/**
 * Sessions for services: `edge.sessions`. Such a session is the right of an API session to dial or to bind one service, and ends
 * with the API session at the latest. `list`, `get` and `delete` are those of `edge.client.sessions`.
 *
 * @example
 * const { token, edgeRouters } = await edge.sessions.create({ serviceId, type: 'Dial' });
 * for (const { name, supportedProtocols } of edgeRouters) console.log(name, supportedProtocols.tls);
 */
export interface ServiceSessions extends Pick<ClientSessionsCalls, 'list' | 'get' | 'delete'> {
  /**
   * Opens a session for a service, or returns the one that this API session has, with a new token. The result has the token for
   * edge routers, and the edge routers with their addresses. When the posture checks do not pass, the client asks the option
   * `posture`, sends all answers for this service and tries once more. The `timeout` applies to each request.
   *
   * @throws EdgeApiError `INVALID_POSTURE` when posture checks do not pass (`isInvalidPosture(error)` says which), `NOT_FOUND` for a
   *   service that the identity may not use, `NO_EDGE_ROUTERS_AVAILABLE`, `MAX_SESSIONS_REACHED`
   */
  create(session: SessionCreate, options?: CallOptions): Promise<SessionDetail>;
}
