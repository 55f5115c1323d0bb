/** The events of the controller: name → payload. No payload contains a secret. */
export interface ControllerEvents {
  /**
   * An entity was created, updated or deleted, and the change is committed. One event for each change, whoever made it.
   * Entities that a deletion also deletes have no event of their own. `entityType` is singular, in camel case: `authPolicy`.
   * `by` is the id of the identity that asked for the change, or `null` when the controller itself made it. The states have the
   * fields of the entity as they are stored, without secrets; `initialState` is `null` for a creation, `finalState` for a deletion.
   */
  entityChange: {
    eventType: 'created' | 'updated' | 'deleted';
    entityType: string;
    entityId: string;
    by: string | null;
    initialState: object | null;
    finalState: object | null;
  };
  /** A client signed in with a primary method. Its API session may still be partial. */
  authenticated: {
    identityId: string;
    apiSessionId: string;
    method: 'password' | 'cert' | 'ext-jwt';
    ipAddress: string;
  };
  /** A primary authentication was refused. `reason` is for operators and is never sent to the client. */
  authenticationFailed: {
    method: 'password' | 'cert' | 'ext-jwt';
    reason: string;
    ipAddress: string;
    identityId?: string;
  };
  /**
   * A JWT of an external signer was refused: as `primary` credential, as the `secondary` one of a request, or for an
   * `enrollment`. `check` failed; `expected` and `received` have values of claims and header members, never the token.
   * `signerId` is `null` when no signer has issued it.
   */
  externalJwtRefused: {
    use: 'primary' | 'secondary' | 'enrollment';
    check: string;
    expected?: string;
    received?: string;
    signerId: string | null;
    identityId?: string;
  };
  /**
   * A request removed a single API session: a sign-out (`owner`), an administrator who deleted it, or too many wrong
   * codes in a partial session (`controller`). Not emitted when a session expires, or when all sessions of an identity
   * end.
   */
  apiSessionRemoved: { apiSessionId: string; identityId: string; by: 'owner' | 'administrator' | 'controller' };
  /**
   * The identity `by`, an administrator, has read tokens of API sessions other than its own: of `apiSessionId`, or of several. Whoever has
   * a token can act as its identity.
   */
  apiSessionTokensRead: { by: string; apiSessionId: string | null; tokens: number };
  /** An API session was not used within the session timeout, or has lived as long as it may. Emitted some seconds after its end. */
  apiSessionExpired: { apiSessionId: string; identityId: string };
  /**
   * All API sessions that something has opened ended with a change: those of an identity, or those that a third-party CA or an
   * external JWT signer has signed in. Of an identity, only those of `authenticatorId` if it is there, and not `exceptId`.
   */
  apiSessionsRevoked: {
    of: 'identity' | 'ca' | 'externalJwtSigner';
    id: string;
    authenticatorId?: string;
    exceptId?: string;
  };
  /** An API session opened a session for a service. Asking for the same one again does not emit the event again. */
  sessionCreated: {
    sessionId: string;
    apiSessionId: string;
    identityId: string;
    serviceId: string;
    type: 'Dial' | 'Bind';
  };
  /**
   * A session for a service ended before its API session: its owner or an administrator deleted it, or its right was taken away
   * (`controller`). Not emitted when it ends with its API session.
   */
  sessionRemoved: {
    sessionId: string;
    apiSessionId: string;
    identityId: string;
    serviceId: string;
    type: 'Dial' | 'Bind';
    by: 'owner' | 'administrator' | 'controller';
  };
  /** Too many wrong passwords in a row locked an identity. `until` is `null` if only an administrator can enable it. */
  identityLocked: { identityId: string; until: string | null };
  /** The owner or an administrator replaced the password of an authenticator. `admin reset-password` is an administrator, too. */
  passwordChanged: { identityId: string; authenticatorId: string; by: 'owner' | 'administrator' };
  /**
   * An API session wanted to change how its identity signs in, or to give rights, a while after its sign-in and its last code. The
   * operation, such as `authenticators.patch`, was refused.
   */
  stepUpRefused: { identityId: string; apiSessionId: string; operation: string };
  /** A client answered an authentication query of its API session with a right code. */
  authQueryAnswered: { identityId: string; apiSessionId: string; typeId: 'MFA'; kind: 'totp' | 'recoveryCode' };
  /**
   * A TOTP or recovery code was refused: it was `wrong`, or the attempts of the identity were used up (`exhausted`).
   */
  mfaCodeRefused: { identityId: string; apiSessionId: string; reason: 'wrong' | 'exhausted' };
  /** An identity verified its TOTP with a first code. Its sign-ins now ask for a code. */
  mfaEnrolled: { identityId: string };
  /** The owner or an administrator removed the TOTP of an identity, verified or not. `admin reset-password` may do so, too. */
  mfaRemoved: { identityId: string; by: 'owner' | 'administrator' };
  /** The owner replaced the recovery codes of a TOTP. */
  recoveryCodesReplaced: { identityId: string };
  /**
   * A client redeemed an enrollment. The identity now has the authenticator. Methods `ca` and `token` need no enrollment: the
   * identity is new, and `enrollmentId` is `null`.
   */
  enrollmentRedeemed: {
    identityId: string;
    enrollmentId: string | null;
    method: 'ott' | 'ottca' | 'ca' | 'updb' | 'token';
  };
  /** A request that enrolls was refused. `code` is that of its error response. */
  enrollmentRefused: { method: string | null; code: string };
  /** An edge router (`erott`) or a transit router (`trott`) redeemed its enrollment, and has certificates. */
  routerEnrolled: { routerId: string; method: 'erott' | 'trott' };
  /**
   * The controller has another server certificate, because it renewed it or read new files. `fingerprint` is its SHA-1. A
   * server of an embedder takes it with `server.setSecureContext(controller.tlsOptions)`.
   */
  serverCertificateChanged: { fingerprint: string };
  /** New settings were given to the running controller, by their keys: those that have changed, and those that need a restart. */
  settingsReloaded: { changed: string[]; needRestart: string[] };
  /**
   * A request of an identity that is signed in was refused, because the identity lacks a right: the `permission` of the
   * `operation` (its id in the OpenAPI documents), or the right to what it asks for.
   */
  permissionDenied: { identityId: string; operation: string; permission: string | null; ipAddress: string };
  /** A request got 429: its address, its identity or all clients together have asked for too much. `code` is that of its error. */
  requestLimited: { code: string; path: string; ipAddress: string; identityId?: string };
  /**
   * A connection ended because its peer sent broken HTTP or TLS, certificates that are not accepted, or too little in time. `reason` is the
   * code of the error. Not emitted when the peer itself closes it.
   */
  connectionRefused: { protocol: 'http' | 'tls'; reason: string; ipAddress: string };
  /** A controller is ready to serve. `settings` are all that are no secrets. */
  controllerStarted: { version: string; settings: object };
  /** A controller was told to stop, and has completed its requests. */
  controllerStopped: { version: string };
  /** The controller removed the oldest entries of the audit log, those up to the sequence `through`, by their `age` or the `size` of the log. */
  auditLogShortened: { through: number; by: 'age' | 'size' };
}

/** The name of an event. */
export type EventName = keyof ControllerEvents;

/** An event with its payload. */
export type ControllerEvent = {
  [N in EventName]: { readonly name: N; readonly payload: ControllerEvents[N] };
}[EventName];

/** A change of an entity. */
export type EntityChange = ControllerEvents['entityChange'];
