import { loadCode } from '../errors/load-code.ts';
import { whenIdle } from '../lib/page.ts';
import { callCode } from '../requests/lazy-calls.ts';
import { signInCode } from './lazy-parts.ts';
import { sessionCode } from './lazy-session.ts';

/** An idle page loads the files that a sign-in and a call need. Then they do not wait, and a lost network does not matter. */
export function prefetch(disposed: AbortSignal): void {
  whenIdle(() => {
    for (const load of [sessionCode, signInCode, callCode]) loadCode<unknown>(load).catch(() => undefined);
  }, disposed);
}
