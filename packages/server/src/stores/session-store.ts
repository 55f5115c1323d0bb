import type { Page, Query } from './page.ts';

/** An API session as it is stored. The token is stored only as its SHA-256 and sealed. */
export interface ApiSessionRecord {
  /** Public id: 25 lower-case characters, begins with `c`. */
  readonly id: string;
  /** SHA-256 of the token, base64url: the lookup key. */
  readonly tokenHash: string;
  readonly sealedToken: string;
  readonly identityId: string;
  readonly authenticatorId: string;
  /** The primary method it was opened with. */
  readonly method: 'password' | 'cert' | 'ext-jwt';
  readonly ipAddress: string;
  readonly configTypes: readonly string[];
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly isMfaRequired: boolean;
  readonly isMfaComplete: boolean;
  /** The TOTP whose code this session has proven. */
  readonly mfaId: string | null;
}

/** Some of the API sessions of an identity: all but one, those made with one authenticator, or both. */
export interface SomeSessions {
  readonly exceptId?: string;
  readonly authenticatorId?: string;
}

/** A stored session with its clock. Milliseconds since 1970. */
export interface LiveApiSession extends ApiSessionRecord {
  readonly lastActivityAt: number;
  readonly expiresAt: number;
}

export interface Touched {
  /** `null` when there is no live session for the token. */
  readonly session: LiveApiSession | null;
  /** Changes whenever `bumpVersion` was called on any replica, and after every reconnection to the store. */
  readonly version: string;
}

/**
 * Where API sessions live. A session expires when it was not touched for the timeout given at construction.
 * An unreachable store makes every method throw `ApiError('STORE_UNAVAILABLE')` within 500 ms.
 */
export interface SessionStore {
  create(record: ApiSessionRecord): Promise<LiveApiSession>;
  /** Reads a session and resets its timeout in one atomic step. Can never bring back a removed session. */
  touch(tokenHash: string): Promise<Touched>;
  /** Changes what a session that exists has proven; false when it does not exist. Never creates. */
  update(
    tokenHash: string,
    change: Partial<Pick<ApiSessionRecord, 'isMfaRequired' | 'isMfaComplete' | 'mfaId'>>,
  ): Promise<boolean>;
  /** Reads a session by its public id without touching it. */
  find(id: string): Promise<LiveApiSession | null>;
  /** Removes a session by its public id; true for exactly one of several concurrent callers. */
  remove(id: string): Promise<boolean>;
  /** Removes every session of an identity, or those that `which` names; the number removed. */
  removeByIdentity(identityId: string, which?: SomeSessions): Promise<number>;
  list(query: Query): Promise<Page<LiveApiSession>>;
  /** Which of these identities have at least one live session. */
  identitiesWithSessions(identityIds: readonly string[]): Promise<ReadonlySet<string>>;
  /** Tells every replica that entities changed: the next `touch` anywhere returns another version. */
  bumpVersion(): Promise<void>;
  close(): Promise<void>;
}
