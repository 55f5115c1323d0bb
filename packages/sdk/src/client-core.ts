import type { Caller } from './caller.ts';
import { createCaller } from './caller.ts';
import type { Clock } from './clock.ts';
import type { ControllerUrl } from './controller-url.ts';
import type { SignOutResult } from './edge-client.ts';
import type { Events } from './events.ts';
import type { ClientCalls } from './generated/calls.ts';
import type { LazySecondary } from './lazy-secondary.ts';
import { lazySecondary } from './lazy-secondary.ts';
import type { CallOptions, EdgeClientOptions, Fetch } from './options.ts';
import type { Replacement } from './replace-session.ts';
import type { Sender } from './sender.ts';
import { startSessionCare } from './session-care.ts';
import type { SessionKeeper } from './session-keeper.ts';
import { createSessionKeeper } from './session-keeper.ts';
import type { SessionEnd } from './session-message.ts';
import { shareSession } from './share-session.ts';
import { signOut } from './sign-out.ts';
import type { SignOuts } from './sign-outs.ts';
import type { TokenStorage } from './storage/token-storage.ts';

/** What a client has before its first session. */
export interface ClientParts {
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
  readonly signOuts: SignOuts;
  readonly sender: Sender;
  readonly client: ClientCalls;
  /** Aborts at `dispose`. */
  readonly disposed: AbortSignal;
}

/** What the parts of one client share. The parts that are loaded later get it as an argument. */
export interface ClientCore extends ClientParts {
  readonly keeper: SessionKeeper;
  readonly secondary: LazySecondary;
  readonly caller: Caller;
  readonly signOut: (options?: CallOptions) => Promise<SignOutResult>;
}

/** Creates what a client needs for a session. It is loaded when there may be one. */
export function createClientCore(parts: ClientParts): ClientCore {
  const { options, clock, events, signOuts, disposed } = parts;
  let replacement: Replacement | undefined;

  /** Few sessions are replaced. */
  async function replace(token: string): Promise<SessionEnd> {
    // Before the code is there. A session that was only in the storage leaves the client without one.
    const before = keeper.token();
    const isWanted = signOuts.watch();
    const isDue = () => keeper.token() === before && !keeper.isPast(token) && isWanted() && !disposed.aborted;
    const { createReplacement } = await import('./replace-session.ts');
    replacement ??= createReplacement(core);
    return replacement(token, isDue);
  }

  const keeper = createSessionKeeper({ ...parts, tell: (message) => channel?.post(message) });
  const secondary = lazySecondary(options.secondaryToken, { events, keeper, clock });
  const caller = createCaller({
    ...{ ...parts, keeper, secondary, replace },
    canSignIn: options.reauthenticate !== undefined,
  });
  const core: ClientCore = {
    ...{ ...parts, keeper, secondary, caller },
    signOut: async (callOptions) => signOut({ keeper, caller }, callOptions),
  };
  // Nobody else has the default storage.
  const channel = options.storage ? shareSession(core) : null;
  disposed.addEventListener('abort', () => channel?.close());
  startSessionCare(core);
  if (options.keepAlive) {
    import('./keep-alive.ts').then(({ startKeepAlive }) => startKeepAlive(core)).catch(() => undefined);
  }
  return core;
}
