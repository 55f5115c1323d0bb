import type { Caller } from './caller.ts';
import type { Clock } from './clock.ts';
import type { ControllerUrl } from './controller-url.ts';
import type { Events } from './events.ts';
import type { ClientCalls } from './generated/calls.ts';
import type { LazySecondary } from './lazy-secondary.ts';
import type { EdgeClientOptions, Fetch } from './options.ts';
import type { SessionKeeper } from './session-keeper.ts';
import type { TokenStorage } from './storage/token-storage.ts';

/** What the parts of one client share. The parts that are loaded later get it as an argument. */
export interface ClientCore {
  readonly options: EdgeClientOptions;
  readonly controllers: readonly [ControllerUrl, ...ControllerUrl[]];
  /** The origins that may get the token, with those of the controllers. */
  readonly origins: readonly string[];
  readonly clock: Clock;
  readonly fetch: Fetch;
  /** Milliseconds for one call. */
  readonly timeout: number;
  readonly sessionHeader: string;
  readonly storage: TokenStorage;
  readonly storageKey: string;
  readonly events: Events;
  readonly keeper: SessionKeeper;
  readonly secondary: LazySecondary;
  readonly caller: Caller;
  readonly client: ClientCalls;
  /** Aborts at `dispose`. */
  readonly disposed: AbortSignal;
}
