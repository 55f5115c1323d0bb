import type { Clock } from '../lib/clock.ts';
import type { KnownSession } from './verified-session.ts';

const expiresIn = 'svc-session-expires-in';
const expose = 'access-control-expose-headers';

interface HeaderParts {
  readonly sessionHeader: string;
  readonly clock: Clock;
}

/** What the response of an application needs, so that caches keep users apart and clients know the end of the session. */
export function headersOf(
  session: KnownSession | null,
  { sessionHeader, clock }: HeaderParts,
): Readonly<Record<string, string>> {
  const end = session?.expiresAt?.getTime();
  if (end === undefined) return { vary: sessionHeader };
  // Rounded down, because nobody may be told that the session lasts longer than it does.
  const seconds = Math.max(0, Math.floor((end - clock()) / 1_000));
  return { vary: sessionHeader, [expiresIn]: String(seconds), [expose]: expiresIn };
}

interface ResponseHeaders {
  get(name: string): unknown;
  set(name: string, value: string): unknown;
}

/** Adds headers to a response. The lists that others have set keep their members. */
export function addHeaders(added: Iterable<readonly [string, string]>, { get, set }: ResponseHeaders): void {
  for (const [name, value] of added)
    set(name, name === 'vary' || name === expose ? withMember(get(name), value) : value);
}

function withMember(list: unknown, member: string): string {
  const members = [list ?? []]
    .flat()
    .join()
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);
  const isThere = members.some((one) => one.toLowerCase() === member);
  return (isThere ? members : [...members, member]).join(', ');
}
