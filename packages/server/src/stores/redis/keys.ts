/** Every key of the store. The braces keep all that ever belongs to one session in one slot of a cluster. */
export function redisKeys(prefix: string) {
  return {
    session: (tokenHash: string) => `${prefix}{${tokenHash}}`,
    version: `${prefix}version`,
    /** Sorted set of members, all with score 0: in the order of the session ids. */
    ids: `${prefix}ids`,
    /** The same members, scored by the moment at which to look whether the session is still there. */
    expiry: `${prefix}expiry`,
    /** As `ids`, the sessions of one identity. */
    identity: (identityId: string) => `${prefix}identity:${identityId}`,
  };
}

export type RedisKeys = ReturnType<typeof redisKeys>;

/** What the indexes know of a session. */
export interface Member {
  readonly id: string;
  readonly tokenHash: string;
  readonly identityId: string;
}

export function memberText({ id, tokenHash, identityId }: Member): string {
  return `${id} ${tokenHash} ${identityId}`;
}

export function parseMember(text: string): Member {
  const [id = '', tokenHash = '', identityId = ''] = text.split(' ');
  return { id, tokenHash, identityId };
}
