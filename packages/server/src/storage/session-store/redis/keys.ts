/** The keys of the store. The braces put all data of one session into one slot of a Redis cluster. */
export function redisKeys(prefix: string) {
  return {
    session: (tokenHash: string) => `${prefix}{${tokenHash}}`,
    version: `${prefix}version`,
    /** Sorted set of all members. All have score 0, so that they are in the order of the session ids. */
    ids: `${prefix}ids`,
    /** The same members. The score is the time of the next check whether the session still exists. */
    expiry: `${prefix}expiry`,
    /** Sorted set of members that have expired and are not recorded yet. The score is the time from which on any controller records their end. */
    expired: `${prefix}expired`,
    /** The same members as `ids`. The score is the time of creation, in milliseconds since 1970. */
    created: `${prefix}created`,
    /** Like `ids`, for the sessions of services: the id is that of the session, the rest is that of its API session. */
    serviceSessions: `${prefix}sessions`,
    /** Changes when somebody may have lost a right to a service. */
    rights: `${prefix}rights`,
    /** Like `ids`, for the sessions of one identity. */
    identity: (identityId: string) => `${prefix}identity:${identityId}`,
  };
}

export type RedisKeys = ReturnType<typeof redisKeys>;

/** The score in `expiry` of a session whose end is known. The next sweep removes what is left of it. */
export const known = 0;

/** The data of a session in the indexes. */
export interface Member {
  readonly id: string;
  readonly tokenHash: string;
  readonly identityId: string;
}

export function memberText({ id, tokenHash, identityId }: Member): string {
  return `${id} ${tokenHash} ${identityId}`;
}

const pattern = /^([\w.-]{1,200}) ([\w.-]{1,200}) ([\w.-]{1,200})$/;

/** `null`: no controller has written it. */
export function parseMember(text: string): Member | null {
  const [, id, tokenHash, identityId] = pattern.exec(text) ?? [];
  return id && tokenHash && identityId ? { id, tokenHash, identityId } : null;
}

/** The members among texts of an index. */
export function parseMembers(texts: readonly string[]): readonly Member[] {
  return texts.flatMap((text) => parseMember(text) ?? []);
}
