import { loadSession } from '../chunks/load.ts';
import { whenIdle } from '../lib/page.ts';

/** An idle page loads the file that a sign-in and a call need. Then they do not wait, and a lost network does not matter. */
export function prefetch(disposed: AbortSignal): void {
  whenIdle(() => loadSession().catch(() => undefined), disposed);
}
