import type { clientApi, SessionCreate } from '@edge-controller/shared-types';
import { ApiError, invalidField } from '../../core/api-error.ts';
import { askForRouters } from '../../credentials/rights/ask-for-routers.ts';
import { serviceSessionId } from '../../storage/session-store/service-session-id.ts';
import type { ServiceSession, StoredServiceSession } from '../../storage/session-store/service-sessions.ts';
import type { AccessRouter } from '../service-access/load-access.ts';
import type { Handlers, SessionCall } from './dependencies.ts';
import type { SessionHolder } from './holder.ts';
import { holderOf } from './holder.ts';
import { addRefusal } from './refusals.ts';
import type { Right, Wanted } from './service-sessions.ts';
import { shownRouters, shownSession } from './session-detail.ts';

const maxTagsBytes = 1_024;

/** The right to use a service, and the edge routers on the way to it. */
interface Route {
  readonly right: Right;
  readonly routers: readonly AccessRouter[];
}

/** Opens a session for a service, or returns the one that the API session has. In both cases the token is new. */
export const createSession: Handlers<typeof clientApi>['sessions']['create'] = async (call, { body }) => {
  const { clock, session, sessionSigner } = call;
  const holder = holderOf(call, session);
  const wanted: Wanted = { serviceId: body.serviceId ?? '', type: body.type ?? 'Dial' };
  const tags = tagsOf(body);
  // Known before anything is judged: others may learn of a newer one meanwhile.
  const version = call.serviceAccess.knownVersion;
  const judged = { version, route: await requireRoute(call, holder, wanted) };
  await askForRouters(call);
  const { opened, route } = await open(call, holder, { wanted, tags, judged });
  const { id: apiSessionId, identityId, tokenHash } = session.record;
  const token = await sessionSigner.sign({ ...opened, apiSessionId, identityId, issuedAt: clock() });
  const stored = { ...opened, apiSession: { id: apiSessionId, identityId, tokenHash } };
  return {
    ...shownSession(stored, { token, service: route.right.access.service }),
    edgeRouters: await shownRouters(call.routerNetwork, route.routers),
  };
};

/**
 * Checks in the order of the wire.
 *
 * @throws ApiError 404 for a service that the identity cannot use, 400 for another type, 409 when posture checks do not pass, 400
 *   without an edge router
 */
async function requireRoute(call: SessionCall, holder: SessionHolder, wanted: Wanted): Promise<Route> {
  const { serviceAccess } = call;
  const pair = { identityId: holder.principal.id, serviceId: wanted.serviceId };
  const right = await requireRight(call, holder, wanted);
  const known = await serviceAccess.routersOf(pair);
  if (known.length > 0) return { right, routers: known };
  await serviceAccess.refresh();
  await serviceAccess.reload(pair);
  // The service may be gone, and with it its routers.
  const reloaded = await requireRight(call, holder, wanted);
  const routers = await serviceAccess.routersOf(pair);
  if (routers.length === 0) throw new ApiError('NO_EDGE_ROUTERS_AVAILABLE');
  return { right: reloaded, routers };
}

async function requireRight(call: SessionCall, holder: SessionHolder, wanted: Wanted): Promise<Right> {
  const { serviceId } = wanted;
  const right = await call.serviceSessions.judge(holder, wanted);
  const { kind } = right.judgement;
  if (kind === 'unknown') {
    const message = `service with id ${serviceId} not found`;
    throw new ApiError('NOT_FOUND', { cause: { code: 'UNHANDLED', message } });
  }
  if (kind === 'other type') throw invalidField('ServiceId', 'service not found', serviceId);
  if (kind === 'failing') throw await addRefusal(call, { holder, wanted, right });
  return right;
}

/** @throws ApiError 400 for tags that are too long */
function tagsOf({ tags }: SessionCreate): ServiceSession['tags'] {
  if (!tags) return {};
  if (Buffer.byteLength(JSON.stringify(tags)) > maxTagsBytes) {
    throw invalidField('tags', `tags of a session have at most ${maxTagsBytes} bytes`);
  }
  return tags;
}

interface Opening {
  readonly wanted: Wanted;
  readonly tags: ServiceSession['tags'];
  /** What was judged before, with the version of the rights that was known then. */
  readonly judged: { readonly version: string | null; readonly route: Route };
}

/** Stores a session. Then it checks whether a right was taken away meanwhile: who did so may have missed this session. */
async function open(
  call: SessionCall,
  holder: SessionHolder,
  { wanted, tags, judged }: Opening,
): Promise<{ readonly opened: ServiceSession; readonly route: Route }> {
  const { clock, events, serviceAccess, serviceSessions, session, sessions, settings } = call;
  const { id: apiSessionId, tokenHash, identityId } = session.record;
  const { serviceId, type } = wanted;
  const apiSession = { id: apiSessionId, tokenHash, identityId };
  const id = serviceSessionId({ apiSessionId, type, serviceId });
  const added = { id, type, serviceId, tags, createdAt: clock(), apiSession };
  const seen = await holder.seenPosture();
  // The store runs these in their order: what is read was so after the session was there.
  const openBy = <Opened>(opening: Promise<Opened>) =>
    Promise.all([opening, sessions.rightsVersion(), seen && call.posture.read(tokenHash)]);
  const store = sessions.serviceSessions;
  const found = await openBy(store.present(added));
  // Most clients ask for a session that they have.
  const [opened, version, posture] = found[0] ? found : await openBy(store.open(added, settings.maxSessions));
  if (opened === null) throw new Error('a store opens a session, or says why not');
  if (opened === 'full') throw new ApiError('MAX_SESSIONS_REACHED');
  if (opened === 'no session') throw new ApiError('UNAUTHORIZED');
  const stored: StoredServiceSession = { ...opened, apiSession };
  if (opened.id !== id && (await serviceSessions.hasEnded(opened.id, version))) {
    // The store has lost its removal.
    await sessions.serviceSessions.remove(stored);
    return await open(call, holder, { wanted, tags, judged });
  }
  serviceAccess.moveTo(version);
  const isCurrent = version === judged.version && posture?.data.generation === seen?.generation;
  const route = isCurrent ? judged.route : await confirm(call, wanted, stored);
  if (opened.id === id) events.emit('session.created', { sessionId: id, apiSessionId, identityId, serviceId, type });
  return { opened, route };
}

/**
 * Judges a session again that was opened while something changed.
 *
 * @throws ApiError the same as `requireRoute`; 401 when the API session may have no sessions any more. The session has ended then.
 */
async function confirm(call: SessionCall, wanted: Wanted, stored: StoredServiceSession): Promise<Route> {
  const [valid] = await call.serviceSessions.validate([stored]);
  const route = await requireRoute(call, holderOf(call, call.session), wanted);
  if (!valid) throw new ApiError('UNAUTHORIZED');
  return route;
}
