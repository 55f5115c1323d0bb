import type { AuthenticationMethod } from '@edge-controller/shared-types';
import type { On } from './event.ts';
import { event, unlogged } from './event.ts';
import { shownChange } from './shown-change.ts';

/** A change of an entity. `initialState` is `null` for a creation, `finalState` for a deletion. */
export interface EntityChange {
  eventType: 'created' | 'updated' | 'deleted';
  entityType: string;
  entityId: string;
  by: string | null;
  initialState: object | null;
  finalState: object | null;
}

/** Who asked for something. `controller`: nobody did. */
type By = 'owner' | 'administrator' | 'controller';

interface ServiceSession {
  sessionId: string;
  apiSessionId: string;
  identityId: string;
  serviceId: string;
  type: 'Dial' | 'Bind';
}

const onIdentity = ({ identityId }: { identityId?: string | null }): On =>
  identityId ? ['identity', identityId] : null;
const onApiSession = ({ apiSessionId }: { apiSessionId: string | null }): On =>
  apiSessionId === null ? null : ['apiSession', apiSessionId];
const itself = ({ identityId }: { identityId: string }) => identityId;
const caller = (_: unknown, id: string | null) => id;
/** The caller, unless the controller acted by itself. */
const asker = ({ by }: { by: By | 'timeout' }, id: string | null) =>
  by === 'controller' || by === 'timeout' ? null : id;

const entityChange = event<EntityChange>({
  repeatedBy: 'owners',
  who: ({ by }) => by,
  on: ({ entityType, entityId }) => [entityType, entityId],
  details: shownChange,
});

/**
 * What happens in the controller: name → payload, and its entry in the audit log, if it has one. Names are stable, and so are the details
 * of entries: logs keep them. No payload contains a secret.
 */
export const events = {
  /** A client signed in with a primary method. Its API session may still be partial. */
  'authentication.succeeded': event<{
    identityId: string;
    apiSessionId: string;
    method: AuthenticationMethod;
    ipAddress: string;
  }>({ repeatedBy: 'nobody', who: itself, on: onApiSession, details: ['method'] }),
  /**
   * A primary authentication was refused. `reason` is for operators and is never sent to the client. `identityId` is there if the sign-in
   * would have opened a session of a known identity.
   */
  'authentication.failed': event<{
    method: AuthenticationMethod;
    reason: string;
    ipAddress: string;
    identityId?: string;
  }>({ outcome: 'failure', repeatedBy: 'anybody', on: onIdentity, details: ['method', 'reason'] }),
  /** A client answered an authentication query of its API session with a right code. */
  'authQuery.answered': event<{
    identityId: string;
    apiSessionId: string;
    typeId: 'MFA';
    kind: 'totp' | 'recoveryCode';
  }>({ repeatedBy: 'owners', who: itself, on: onApiSession, details: ['typeId', 'kind'] }),
  /**
   * A JWT of an external signer was refused: as `primary` credential, as the `secondary` one of a request, or for an
   * `enrollment`. `check` failed; `expected` and `received` have values of claims and header members, never the token.
   * `signerId` is `null` when no signer has issued it. `secondary` has no entry; the others also have that of the sign-in or enrollment.
   */
  'externalJwt.refused': event<{
    use: 'primary' | 'secondary' | 'enrollment';
    check: string;
    expected?: string;
    received?: string;
    signerId: string | null;
    identityId?: string;
  }>({
    outcome: 'failure',
    repeatedBy: 'anybody',
    on: (refused) => (refused.signerId === null ? onIdentity(refused) : ['externalJwtSigner', refused.signerId]),
    details: ['use', 'check', 'expected', 'received'],
    // Clients send it with every request, so it would let them fill the log.
    isWritten: ({ use }) => use !== 'secondary',
  }),
  /**
   * The identity `by`, an administrator, has read tokens of API sessions other than its own: of `apiSessionId`, or of several. `tokens` is
   * their number. Whoever has a token can act as its identity.
   */
  'apiSession.tokensRead': event<{ by: string; apiSessionId: string | null; tokens: number }>({
    // A page that shows sessions reads them again and again.
    repeatedBy: 'anybody',
    who: ({ by }) => by,
    on: onApiSession,
    details: ['tokens'],
  }),
  /**
   * A request had the token of an API session that the identity `readBy`, an administrator, has read, and came from another network than the
   * sign-in of its owner: the first one from each network. The owner may have moved there, or somebody acts as `identityId`.
   */
  'apiSession.tokenUsed': event<{ identityId: string; apiSessionId: string; readBy: string; ipAddress: string }>({
    repeatedBy: 'anybody',
    who: itself,
    on: onApiSession,
    details: ['readBy'],
  }),
  /**
   * A single API session ended. `owner`: its owner signed out. `administrator`: an administrator deleted it. `controller`: a partial
   * session had too many wrong codes. `timeout`: nobody used it within the session timeout, or its longest life is over; the event
   * comes some seconds later. When all sessions of an identity end, there is no such event.
   */
  'apiSession.ended': event<{ apiSessionId: string; identityId: string; by: By | 'timeout' }>({
    repeatedBy: 'nobody',
    who: asker,
    on: onApiSession,
    details: ['identityId', 'by'],
  }),
  /**
   * All API sessions that something has opened ended with a change: those of an identity, or those that a third-party CA or an
   * external JWT signer has signed in. Of an identity, only those of `authenticatorId` if it is there, and not `exceptId`.
   */
  'apiSessions.revoked': event<{
    of: 'identity' | 'ca' | 'externalJwtSigner';
    id: string;
    authenticatorId?: string;
    exceptId?: string;
  }>({
    repeatedBy: 'owners',
    who: caller,
    on: ({ of, id }) => [of, id],
    details: ['authenticatorId', 'exceptId'],
  }),
  /** An API session opened a session for a service. Asking for the same one again does not emit the event again. */
  'session.created': unlogged<ServiceSession>(),
  /**
   * A session for a service ended before its API session: its owner or an administrator deleted it, or its right was taken away
   * (`controller`). Not emitted when it ends with its API session. There is no entry when its owner did it.
   */
  'session.ended': event<ServiceSession & { by: By }>({
    repeatedBy: 'owners',
    who: asker,
    on: ({ sessionId }) => ['session', sessionId],
    details: ['apiSessionId', 'identityId', 'serviceId', 'type', 'by'],
    // A client that closes its own sessions may do so at any rate.
    isWritten: ({ by }) => by !== 'owner',
  }),
  /** Too many wrong passwords in a row locked an identity. `until` is `null` if only an administrator can enable it. */
  'identity.locked': event<{ identityId: string; until: string | null }>({
    repeatedBy: 'nobody',
    on: onIdentity,
    details: ['until'],
  }),
  /**
   * A request of an identity that is signed in was refused, because the identity lacks a right: the `permission` of the
   * `operation` (its id in the OpenAPI documents), or the right to what it asks for.
   */
  'permission.denied': event<{
    identityId: string;
    operation: string;
    permission: string | null;
    ipAddress: string;
  }>({ outcome: 'failure', repeatedBy: 'anybody', who: itself, details: ['operation', 'permission'] }),
  /** The owner or an administrator replaced the password of an authenticator. `admin reset-password` is an administrator, too. */
  'password.changed': event<{ identityId: string; authenticatorId: string; by: 'owner' | 'administrator' }>({
    repeatedBy: 'owners',
    who: caller,
    on: ({ authenticatorId }) => ['authenticator', authenticatorId],
    details: ['identityId', 'by'],
  }),
  /**
   * An API session wanted to change how its identity signs in, or to give rights, a while after its sign-in and its last code. The
   * operation, such as `authenticators.patch`, was refused.
   */
  'stepUp.refused': event<{ identityId: string; apiSessionId: string; operation: string }>({
    outcome: 'failure',
    repeatedBy: 'anybody',
    who: itself,
    on: onIdentity,
    details: ['apiSessionId', 'operation'],
  }),
  /** An identity verified its TOTP with a first code. Its sign-ins now ask for a code. */
  'mfa.enrolled': event<{ identityId: string }>({ repeatedBy: 'owners', who: itself, on: onIdentity, details: [] }),
  /** The owner or an administrator removed the TOTP of an identity, verified or not. `admin reset-password` may do so, too. */
  'mfa.removed': event<{ identityId: string; by: 'owner' | 'administrator' }>({
    repeatedBy: 'owners',
    who: caller,
    on: onIdentity,
    details: ['by'],
  }),
  /** A TOTP or recovery code was refused: it was `wrong`, or the attempts of the identity were used up (`exhausted`). */
  'mfaCode.refused': event<{ identityId: string; apiSessionId: string; reason: 'wrong' | 'exhausted' }>({
    outcome: 'failure',
    repeatedBy: 'anybody',
    who: itself,
    on: onIdentity,
    details: ['apiSessionId', 'reason'],
  }),
  /** The owner replaced the recovery codes of a TOTP. */
  'recoveryCodes.replaced': event<{ identityId: string }>({
    repeatedBy: 'owners',
    who: itself,
    on: onIdentity,
    details: [],
  }),
  /**
   * A client redeemed an enrollment. The identity now has the authenticator. Methods `ca` and `token` need no enrollment: the
   * identity is new, and `enrollmentId` is `null`.
   */
  'enrollment.redeemed': event<{
    identityId: string;
    enrollmentId: string | null;
    method: 'ott' | 'ottca' | 'ca' | 'updb' | 'token';
  }>({ repeatedBy: 'nobody', who: itself, on: onIdentity, details: ['method', 'enrollmentId'] }),
  /** A request that enrolls was refused. `code` is that of its error response. */
  'enrollment.refused': event<{ method: string | null; code: string }>({
    outcome: 'failure',
    repeatedBy: 'anybody',
    details: ['method', 'code'],
  }),
  /** An edge router (`erott`) or a transit router (`trott`) redeemed its enrollment, and has certificates. */
  'router.enrolled': event<{ routerId: string; method: 'erott' | 'trott' }>({
    repeatedBy: 'nobody',
    on: ({ routerId }) => ['router', routerId],
    details: ['method'],
  }),
  /**
   * An entity was created, and the change is committed. `entityType` is singular, in camel case: `authPolicy`. `by` is the id of the identity
   * that asked for the change, or `null` when the controller itself made it. The states have the fields of the entity as they are stored,
   * without secrets; `initialState` is `null`. The entry has the SHA-256 of a value that is longer than 16 KiB.
   */
  'entity.created': entityChange,
  /** An entity was changed. One event for each change, whoever made it. The entry has only the fields that differ. */
  'entity.updated': entityChange,
  /** An entity was deleted: `finalState` is `null`. Entities that a deletion also deletes have no event of their own. */
  'entity.deleted': entityChange,
  /** A controller is ready to serve. `settings` are all that are no secrets. */
  'controller.started': event<{ version: string; settings: object }>({
    repeatedBy: 'nobody',
    details: ['version', 'settings'],
  }),
  /** A controller was asked to stop, and has completed its requests. Without this entry it was ended by force. */
  'controller.stopped': event<{ version: string }>({ repeatedBy: 'nobody', details: ['version'] }),
  /**
   * The controller has another server certificate, because it renewed it or read new files. `fingerprint` is its SHA-1. A
   * server of an embedder takes it with `server.setSecureContext(controller.tlsOptions)`.
   */
  'controller.certificateChanged': event<{ fingerprint: string }>({ repeatedBy: 'nobody', details: ['fingerprint'] }),
  /** New settings were given to the running controller, by their keys: those that have changed, and those that need a restart. */
  'controller.settingsReloaded': event<{ changed: string[]; needRestart: string[] }>({
    repeatedBy: 'nobody',
    details: ['changed', 'needRestart'],
  }),
  // Unauthenticated clients can cause any number of the next two: the log of the controller has lines with a limit.
  /** A request got 429: its address, its identity or all clients together have asked for too much. `code` is that of its error. */
  'request.limited': unlogged<{ code: string; path: string; ipAddress: string; identityId?: string }>(),
  /**
   * A connection ended because its peer sent broken HTTP or TLS, certificates that are not accepted, or too little in time. `reason` is the
   * code of the error. Not emitted when the peer itself closes it.
   */
  'connection.refused': unlogged<{ protocol: 'http' | 'tls'; reason: string; ipAddress: string }>(),
  /**
   * A backup was restored, or an export was imported. `createdAt` says when it was made. The log has nothing of what was done since then.
   * Only an entry: no controller runs then.
   */
  'database.restored': event<{ from: 'backup' | 'export'; createdAt: string; version: string }>({
    repeatedBy: 'nobody',
    details: ['from', 'createdAt', 'version'],
  }),
  /** The controller removed the oldest entries of the audit log, those up to the sequence `through`, by their `age` or the `size` of the log. */
  'auditLog.shortened': event<{ through: number; by: 'age' | 'size' }>({
    repeatedBy: 'nobody',
    details: ['through', 'by'],
  }),
} as const;

type Events = typeof events;
type Payload<E> = E extends { readonly payload?: infer P } ? P : never;

/** The events of the controller: name → payload. No payload contains a secret. */
export type ControllerEvents = { [N in keyof Events]: Payload<Events[N]> };

/** The name of an event. */
export type EventName = keyof Events;

/** The name of an entry of the audit log. */
export type AuditEventName = { [N in EventName]: Events[N] extends { entry: null } ? never : N }[EventName];

/** An event with its payload. */
export type ControllerEvent = {
  [N in EventName]: { readonly name: N; readonly payload: ControllerEvents[N] };
}[EventName];

/** Whether an entity was created, updated or deleted. */
export function isEntityChange(event: ControllerEvent): event is Extract<ControllerEvent, { payload: EntityChange }> {
  return event.name.startsWith('entity.');
}
