import type { ControllerEvents } from './events.ts';

type Members<N extends keyof ControllerEvents, K extends keyof ControllerEvents[N]> = Pick<ControllerEvents[N], K>;

/**
 * The entries of the audit log: name → details. The names are stable. Besides the details, an entry has the identity that acted,
 * what it acted on, the outcome, the address of the client and the id of the request.
 */
export interface AuditEvents {
  /** An identity signed in. It acted on its new API session. */
  'authentication.succeeded': Members<'authenticated', 'method'>;
  /** A sign-in was refused because of `reason`. It would have opened a session of the identity, if one is known. */
  'authentication.failed': Members<'authenticationFailed', 'method' | 'reason'>;
  /** An identity answered an authentication query of its API session with a right code. */
  'authQuery.answered': Members<'authQueryAnswered', 'typeId' | 'kind'>;
  /** A JWT was refused in a sign-in or an enrollment, whose own entry follows. `check` failed. */
  'externalJwt.refused': Members<'externalJwtRefused', 'use' | 'check' | 'expected' | 'received'>;
  /** An administrator read tokens of other API sessions: that of one, or those of a part of a list. `tokens` is their number. */
  'apiSession.tokensRead': Members<'apiSessionTokensRead', 'tokens'>;
  /**
   * An API session of `identityId` ended: by its owner, an administrator or the controller, or because it was not used within the
   * session timeout.
   */
  'apiSession.ended': { identityId: string; by: 'owner' | 'administrator' | 'controller' | 'timeout' };
  /** All API sessions of an identity, a third-party CA or an external JWT signer ended; see `apiSessionsRevoked`. */
  'apiSessions.revoked': Members<'apiSessionsRevoked', 'authenticatorId' | 'exceptId'>;
  /** A session of a service ended before its API session: by an administrator, or because its right was lost. */
  'session.ended': Members<'sessionRemoved', 'apiSessionId' | 'identityId' | 'serviceId' | 'type' | 'by'>;
  /** Too many wrong passwords locked an identity. */
  'identity.locked': Members<'identityLocked', 'until'>;
  /** A request of an identity was refused, because it lacks a right; see `permissionDenied`. */
  'permission.denied': Members<'permissionDenied', 'operation' | 'permission'>;
  /** The password of an authenticator of `identityId` was replaced. */
  'password.changed': Members<'passwordChanged', 'identityId' | 'by'>;
  /** `operation` was refused because the sign-in of the API session, and its last code, were too long ago. */
  'stepUp.refused': Members<'stepUpRefused', 'apiSessionId' | 'operation'>;
  /** An identity verified its TOTP. */
  'mfa.enrolled': Record<string, never>;
  /** The TOTP of an identity was removed. */
  'mfa.removed': Members<'mfaRemoved', 'by'>;
  /** A TOTP or recovery code was refused. */
  'mfaCode.refused': Members<'mfaCodeRefused', 'apiSessionId' | 'reason'>;
  /** An identity replaced its recovery codes. */
  'recoveryCodes.replaced': Record<string, never>;
  /** An identity redeemed an enrollment, or enrolled without one. */
  'enrollment.redeemed': Members<'enrollmentRedeemed', 'method' | 'enrollmentId'>;
  /** An enrollment was refused with the error `code`. */
  'enrollment.refused': Members<'enrollmentRefused', 'method' | 'code'>;
  /** A router redeemed its enrollment. */
  'router.enrolled': Members<'routerEnrolled', 'method'>;
  /** An entity was created. `after` has its fields as they are stored, without secrets. Of a value longer than 16 KiB it has the SHA-256. */
  'entity.created': { before: null; after: object };
  /** An entity was changed. Both states have the fields that differ. */
  'entity.updated': { before: object; after: object };
  /** An entity was deleted. */
  'entity.deleted': { before: object; after: null };
  /** A controller started. `settings` has all that are no secrets. */
  'controller.started': Members<'controllerStarted', 'version' | 'settings'>;
  /** A controller stopped. Without this entry it was ended by force. */
  'controller.stopped': Members<'controllerStopped', 'version'>;
  /** A controller has another server certificate. `fingerprint` is its SHA-1. */
  'controller.certificateChanged': Members<'serverCertificateChanged', 'fingerprint'>;
  /** New settings were given to a running controller, by their keys: those that have changed, and those that need a restart. */
  'controller.settingsReloaded': Members<'settingsReloaded', 'changed' | 'needRestart'>;
  /** A backup was restored, or an export was imported. `createdAt` says when it was made. This log has nothing of what was done since then. */
  'database.restored': { from: 'backup' | 'export'; createdAt: string; version: string };
  /** The oldest entries were removed, because of their age or the size of the log. */
  'auditLog.shortened': Members<'auditLogShortened', 'through' | 'by'>;
}

/** The name of an entry of the audit log. */
export type AuditEventName = keyof AuditEvents;
