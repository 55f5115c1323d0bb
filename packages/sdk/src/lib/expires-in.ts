/** A hundred years in seconds. */
const longest = 3_155_760_000;

/**
 * Milliseconds until the session ends. A controller tells it about the session that was asked for, and a backend about the session
 * of the request. `null` when a response does not tell it.
 */
export function expiresIn(headers: Headers): number | null {
  const text = headers.get('svc-session-expires-in');
  const seconds = text ? Number(text) : Number.NaN;
  return seconds >= 0 && seconds < longest ? seconds * 1_000 : null;
}
