/** What a component shows while something runs, and after it. */
export interface Progress {
  readonly isPending: boolean;
  /** Why the last one failed, or `null`. */
  readonly error: unknown;
}

/** Before the first one, and after `reset`. */
export const idle: Progress = Object.freeze({ isPending: false, error: null });
