import type { SessionSnapshot } from '../api/session-snapshot.ts';
import type { Progress } from './progress.ts';
import type { TrackedSignIn } from './sign-in-actions.ts';

/** What `useSignIn` returns. */
export interface SignInSnapshot extends TrackedSignIn {
  /** Whether a sign-in of this component is under way, also while it waits for `onAuthQuery`. */
  readonly isPending: boolean;
  /** Why the last sign-in of this component failed, or `null`. The next one and `reset` clear it. */
  readonly error: unknown;
}

/** A snapshot that is always the newest one. `read` tells the framework that somebody reads it. */
export function liveSession(read: () => SessionSnapshot): SessionSnapshot {
  return {
    get state() {
      return read().state;
    },
    get session() {
      return read().session;
    },
  } as SessionSnapshot;
}

/** The same for a sign-in. */
export function liveSignIn(tracked: TrackedSignIn, read: () => Progress): SignInSnapshot {
  return {
    ...tracked,
    get isPending() {
      return read().isPending;
    },
    get error() {
      return read().error;
    },
  };
}
