import { sessionIdLength, sessionIdPart } from '../../core/secrets/ids.ts';
import type { ServiceSession, ServiceSessionType } from './service-sessions.ts';

const uniqueLength = 8;
const letters = { Dial: 'd', Bind: 'b' } as const;

/** What the id of a session says: where the session is stored. */
interface Place extends Pick<ServiceSession, 'type' | 'serviceId'> {
  readonly apiSessionId: string;
}

/**
 * Makes the id of a new session. It begins with the id of its API session, so that an index in the order of ids has the sessions
 * of an API session side by side, and an id alone leads to its session.
 */
export function serviceSessionId({ apiSessionId, type, serviceId }: Place): string {
  return apiSessionId + serviceId + letters[type] + sessionIdPart(uniqueLength);
}

/** `null`: it is the id of no session. */
export function placeOfServiceSession(id: string): Place | null {
  const unique = id.length - uniqueLength;
  const type = typeOf(id[unique - 1]);
  if (type === null || unique - 1 <= sessionIdLength) return null;
  return { apiSessionId: id.slice(0, sessionIdLength), type, serviceId: id.slice(sessionIdLength, unique - 1) };
}

function typeOf(letter: string | undefined): ServiceSessionType | null {
  if (letter === letters.Dial) return 'Dial';
  return letter === letters.Bind ? 'Bind' : null;
}
