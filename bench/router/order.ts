/** What a router of the bench is told. */
export type Order =
  /** Dials and closes a hosted service again and again. */
  | { readonly kind: 'circuits'; readonly atOnce: number; readonly seconds: number }
  /** Asks for terminators in sessions that do not exist; `null`: as many as it can. */
  | {
      readonly kind: 'binds';
      readonly sessions: 'one' | 'many';
      readonly rate: number | null;
      readonly seconds: number;
    }
  /** Connects to the controller again and again, once for 0 seconds. */
  | { readonly kind: 'syncs'; readonly seconds: number }
  /** Deletes so many sessions of services, and so many API sessions. */
  | { readonly kind: 'removals'; readonly count: number };

export interface Done {
  readonly count: number;
  /** How long that took. */
  readonly seconds: number;
}

export interface Syncs extends Done {
  /** Of each, until the router has everything. */
  readonly milliseconds: readonly number[];
  /** Of the frames with API sessions, each time. */
  readonly bytes: number;
  readonly frames: number;
  readonly sessions: number;
}

/** Milliseconds from the request. */
export interface Removal {
  readonly response: number;
  readonly frame: number;
}

export interface Removals {
  readonly session: readonly Removal[];
  readonly apiSession: readonly Removal[];
  /** Session checks, one after the other. */
  readonly checks: readonly number[];
}
