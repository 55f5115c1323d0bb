import type { AuthenticationMethod } from '@edge-controller/shared-types';
import type { Page, Query } from '../../core/filter/page.ts';
import type { ServiceSessionStore } from './service-sessions.ts';
import type { SessionCertificate, SessionCertificateStore } from './session-certificates.ts';
import type { SessionDataStore } from './session-data.ts';
import type { SessionKey } from './session-key.ts';

/** Stands for all config types in a sign-in. */
export const allConfigTypes = 'all';

/** A stored API session. It has the SHA-256 of the token and the sealed token, but not the token itself. */
export interface ApiSessionRecord extends SessionKey {
  readonly sealedToken: string;
  readonly authenticatorId: string;
  /** The version of the credential at the sign-in. */
  readonly credentialVersion: number;
  /** The primary method of the sign-in. */
  readonly method: AuthenticationMethod;
  readonly ipAddress: string;
  readonly configTypes: readonly string[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly isMfaRequired: boolean;
  readonly isMfaComplete: boolean;
  /** Id of the third-party CA whose certificate opened the session. */
  readonly caId: string | null;
  /** `authVersion` of this CA at the sign-in. */
  readonly caVersion: number;
  /** Id of the external JWT signer whose JWT opened the session. */
  readonly signerId: string | null;
  /** `authVersion` of this signer at the sign-in. */
  readonly signerVersion: number;
  /** Whether the network has issued the certificate of the sign-in. */
  readonly isCertExtendable: boolean;
  /** Whether the client presented too few intermediates to reach a root. */
  readonly improperClientCertChain: boolean;
  /** The id of the TOTP for which this session has sent a right code. */
  readonly mfaId: string | null;
  /** When it has sent the last right one, in milliseconds since 1970. */
  readonly mfaPassedAt: number | null;
  /**
   * Whether it has asked for what leads to edge routers. Until then they do not know it. `null`: a version of the controller has begun it
   * that does not record that.
   */
  readonly usesRouters: boolean | null;
  /** Id of the identity, an administrator, that has read its token. `null`: nobody but its owner has it. */
  readonly tokenReadBy: string | null;
  /** When it ends, however much it is used, in milliseconds since 1970. `null`: when it is not used any more. */
  readonly endsAt: number | null;
}

/** Selects API sessions of an identity: all except one, only those of one authenticator, or both conditions. */
export interface SessionSubset {
  readonly exceptId?: string;
  readonly authenticatorId?: string;
}

/** Whose sessions a list has. */
export type SessionOwner = Pick<SessionKey, 'identityId'>;

/** A stored session with its times, in milliseconds since 1970. */
export interface LiveApiSession extends ApiSessionRecord {
  readonly lastActivityAt: number;
  readonly expiresAt: number;
}

/** A session as a touch or a peek reads it. */
export interface TouchedApiSession extends LiveApiSession {
  /**
   * Its record: the same object at each touch for as long as nothing of it changes, or a new one. What is made of a record can
   * be kept with this object.
   */
  readonly record: ApiSessionRecord;
}

/** An API session, and the version of the entities that was read together with it. */
export interface Versioned<Session> {
  readonly session: Session;
  /**
   * Changes after every `bumpVersion` on any replica, after every reconnection to the store, when the store was replaced by
   * another one, and when it has lost its version.
   */
  readonly version: string;
}

/** What a new session begins with. */
export interface FirstData {
  readonly certificates?: readonly SessionCertificate[];
  /** JSON text, as in `data`. */
  readonly posture?: string;
}

/** What happened to API sessions, for those who keep something about them. */
export type ApiSessionChange =
  /** It is new, or it got other certificates or another state. */
  | { readonly kind: 'changed'; readonly tokenHash: string }
  /** They were removed, or have expired. */
  | { readonly kind: 'ended'; readonly ids: readonly string[] };

/** A store calls it after each change, and waits for it. */
export type OnApiSessionChange = (change: ApiSessionChange) => Promise<void>;

/**
 * A store calls it some seconds after API sessions have expired. It names each once, also when controllers share the store, but again
 * after it was rejected or its controller died meanwhile.
 */
export type OnExpired = (sessions: readonly Pick<ApiSessionRecord, 'id' | 'identityId'>[]) => Promise<void>;

/** `null` when there is no live session for the token. */
export type Touched = Versioned<TouchedApiSession | null>;

/**
 * Stores API sessions. A session expires when it is not touched for the timeout that was set when the store was opened, and at
 * its `endsAt`, whatever touches it.
 * Every method throws `ApiError('STORE_UNAVAILABLE')` within 500 ms when the store cannot be reached.
 */
export interface SessionStore {
  /** Stores a session together with its first certificates and data. The version is read afterwards. */
  create(record: ApiSessionRecord, first?: FirstData): Promise<Versioned<LiveApiSession>>;
  /** Reads a session and restarts its timeout in one atomic step. Never brings back a removed session. */
  touch(tokenHash: string): Promise<Touched>;
  /** Reads a session as `touch` does, but its timeout goes on. */
  peek(tokenHash: string): Promise<Touched>;
  /** Changes a session. False when it does not exist. Never creates a session. */
  update(
    tokenHash: string,
    change: Partial<
      Pick<
        ApiSessionRecord,
        'isMfaRequired' | 'isMfaComplete' | 'mfaId' | 'mfaPassedAt' | 'usesRouters' | 'tokenReadBy'
      >
    >,
  ): Promise<boolean>;
  /** Reads a session by its public id. Does not restart its timeout. */
  find(id: string): Promise<LiveApiSession | null>;
  /** Reads sessions by the hashes of their tokens, in any order. Leaves out those that do not exist. */
  load(tokenHashes: readonly string[]): Promise<readonly LiveApiSession[]>;
  /** Removes a session. Returns true to exactly one of several concurrent callers. */
  remove(session: SessionKey): Promise<boolean>;
  /** Removes all sessions of an identity, or those that have ended. Returns the number of removed sessions. */
  removeByIdentity(identityId: string, hasEnded?: (session: LiveApiSession) => boolean): Promise<number>;
  /** Lists the sessions of everybody, or those of an identity. No filter reaches others then. */
  list(query: Query, within?: SessionOwner): Promise<Page<LiveApiSession>>;
  readonly certificates: SessionCertificateStore;
  readonly serviceSessions: ServiceSessionStore;
  readonly data: SessionDataStore;
  /** Returns those of the identities that have at least one session. */
  identitiesWithSessions(identityIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Marks that entities were changed: the next `touch` on every replica returns another version. */
  bumpVersion(): Promise<void>;
  /**
   * The version of the rights to services. It changes after every `bumpRightsVersion` on any replica, and whenever the version of
   * the entities changes because of the store.
   */
  rightsVersion(): Promise<string>;
  /** Marks that somebody may have lost a right to a service: the next `rightsVersion` on every replica is another one. */
  bumpRightsVersion(): Promise<void>;
  close(): Promise<void>;
}
