import type { TabEvent } from './open-world.ts';
import { sessionTimeout } from './open-world.ts';
import type { Truth } from './truth.ts';

/** `expiring` comes so many milliseconds before the end. */
const warning = sessionTimeout / 10;
/** Milliseconds by which a busy machine may be late. */
export const lateness = 1_000;
/** Milliseconds by which the clocks of a browser and of this process may differ. */
const skew = 100;

interface Course {
  readonly events: readonly TabEvent[];
  readonly truth: Truth;
  /** When requests failed or were late. */
  readonly troubles: readonly { readonly from: number; readonly to: number }[];
}

/** What the clients reported although it was not so. */
export function judgeEvents({ events, truth, troubles }: Course): string[] {
  const wasCalm = (from: number, to: number) => !troubles.some((trouble) => trouble.from < to && from < trouble.to);

  function isTrueWarning({ at, sessionId }: TabEvent): boolean {
    const isNear = (end: { readonly from: number }, now: number) => end.from - now < warning + lateness;
    if (
      isNear(
        truth.end(sessionId, (use) => use.answeredAt <= at),
        at,
      )
    )
      return true;
    // The client cannot know what others do while it can ask nobody.
    if (!wasCalm(at - 2 * lateness, at))
      return isNear(
        truth.end(sessionId, (use) => use.isDelivered && use.answeredAt < at - lateness),
        at,
      );
    const asked = truth.peeks(sessionId).filter(({ answeredAt }) => Math.abs(at + skew - answeredAt) < lateness);
    return asked.some(({ answeredAt: now }) =>
      isNear(
        truth.end(sessionId, ({ answeredAt }) => answeredAt <= now),
        now,
      ),
    );
  }

  return events.flatMap((event) => {
    const { name, at, state, sessionId, tab } = event;
    const reported = (what: string) => [`tab ${tab} reported ${what} at ${at.toFixed()}`];
    if (name === 'expiring' && !isTrueWarning(event)) return reported('a false "expiring"');
    if (name === 'expired' && truth.isAlive(sessionId, at)) return reported('"expired" of a session that is alive');
    if (name === 'signedOut' && truth.isAlive(sessionId, at)) return reported('"signedOut", and nobody signed out');
    if (name !== 'stateChange' || state !== 'signed-out') return [];
    // The tab may not know the newest session yet.
    const known = [truth.newest(at), truth.newest(at - lateness)];
    const isWrong = known.every((session) => session && truth.isAlive(session.id, at));
    return isWrong ? reported('"signed-out", and somebody is signed in') : [];
  });
}
