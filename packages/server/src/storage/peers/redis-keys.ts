/** The keys and channels of the peers. */
export type PeerKeys = ReturnType<typeof redisKeys>;

export function redisKeys(prefix: string, url: string) {
  const database = new URL(url).pathname.slice(1) || '0';
  return {
    /** The number of the last message. */
    count: `${prefix}controllers:count`,
    /** Sorted set of the controllers that listen. The score is the time of the last sign of life, in milliseconds since 1970. */
    listening: `${prefix}controllers`,
    stateOf: (peerId: string) => `${prefix}controller:${peerId}`,
    // All databases of a Redis have the same channels.
    allChannel: `${prefix}controllers:${database}`,
    channelOf: (peerId: string) => `${prefix}controller:${peerId}`,
  };
}
