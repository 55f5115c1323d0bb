import type { CallOptions } from '../api/call-options.ts';
import type { Fetch } from '../api/fetch.ts';
import type { ClientCalls } from '../api/generated/calls.ts';
import type { EdgeClientOptions } from '../api/options.ts';
import type { SignOutResult } from '../api/sign-out-result.ts';
import type { TokenStorage } from '../api/token-storage.ts';
import type { SecondaryTokens } from '../external-jwt/secondary-tokens.ts';
import type { Clock } from '../lib/clock.ts';
import type { Epoch } from '../lib/epoch.ts';
import type { ControllerUrl } from '../requests/controller-url.ts';
import type { Sender } from '../requests/sender.ts';
import { createSender } from '../requests/sender.ts';
import type { RequestCode } from '../requests/transport.ts';
import { Transport } from '../requests/transport.ts';
import { Caller } from './caller.ts';
import type { ClientEvents } from './client-events.ts';
import type { Exclusive } from './exclusive-of.ts';
import { exclusiveOf } from './exclusive-of.ts';
import type { startKeepAlive } from './keep-alive.ts';
import type { Recovery } from './recovery.ts';
import { createRecovery } from './recovery.ts';
import { reportFailure } from './report-failure.ts';
import type { Secondary } from './secondary.ts';
import { createSecondary } from './secondary.ts';
import { SessionManager } from './session-manager.ts';
import type { SessionEnd, SessionMessage } from './session-message.ts';
import { startSessionMonitor } from './session-monitor.ts';
import type { SessionProbe } from './session-probe.ts';
import { createSessionProbe } from './session-probe.ts';
import type { SessionReplacement } from './session-replacement.ts';
import { shareSession } from './share-session.ts';
import { signOut } from './sign-out.ts';
import type { stepUp } from './step-up.ts';
import { StoredSession } from './stored-session.ts';

/** What a client has before its first session. */
export interface ClientParts {
  readonly options: EdgeClientOptions;
  readonly controllers: readonly [ControllerUrl, ...ControllerUrl[]];
  /** The origins that may get the token, with those of the controllers. */
  readonly origins: readonly string[];
  readonly fetch: Fetch;
  /** Milliseconds for one call. */
  readonly timeout: number;
  readonly sessionHeader: string;
  readonly storage: TokenStorage;
  readonly storageKey: string;
  readonly events: ClientEvents;
  readonly signOuts: Epoch;
  readonly client: ClientCalls;
  /** Aborts at `dispose`. */
  readonly disposed: AbortSignal;
  /** Loads what few sessions need. */
  readonly loadRest: () => Promise<SessionCode>;
}

/** What a session loads when it needs it. */
interface SessionCode extends RequestCode {
  readonly SecondaryTokens: typeof SecondaryTokens;
  readonly SessionReplacement: typeof SessionReplacement;
  readonly startKeepAlive: typeof startKeepAlive;
  readonly stepUp: typeof stepUp;
}

/** What the parts of one client share. The parts that are loaded later get it as an argument. */
export interface ClientSession extends ClientParts {
  readonly clock: Clock;
  readonly sender: Sender;
  /** Runs sections that change the storage, one after the other. */
  readonly exclusive: Exclusive;
  readonly manager: SessionManager;
  readonly secondary: Secondary;
  readonly probe: SessionProbe;
  readonly recovery: Recovery;
  readonly stored: StoredSession;
  readonly caller: Caller;
  readonly signOut: (options?: CallOptions) => Promise<SignOutResult>;
  /** Reports what a function of the application has thrown that the SDK called by itself. */
  readonly report: (what: string, error: unknown) => void;
}

/** Creates what a client needs for a session. It is loaded when there may be one. */
export function createClientSession(parts: ClientParts): ClientSession {
  const { options, events, signOuts, disposed, loadRest } = parts;
  const clock: Clock = () => (options.clock ?? Date).now();
  let replacement: SessionReplacement | undefined;

  /** Few sessions are replaced. */
  async function replace(token: string): Promise<SessionEnd> {
    // Reads the token before the code is loaded. A session that was only in the storage leaves the client without one.
    const before = manager.token();
    const isWanted = signOuts.watch();
    const isDue = () => manager.token() === before && !manager.isPast(token) && isWanted() && !disposed.aborted;
    const { SessionReplacement } = await loadRest();
    replacement ??= new SessionReplacement(session);
    return replacement.replace(token, isDue);
  }

  const report = (what: string, error: unknown) => reportFailure(options.logger, what, error);
  events.failed = (event, error) => report(`a listener of "${event}"`, error);
  const transport = new Transport({ ...parts, retries: options.retries ?? 2, hooks: options });
  const sender = createSender({ ...parts, transport });
  const exclusive = exclusiveOf(parts.storage);
  const manager = new SessionManager({
    ...{ ...parts, clock, exclusive, broadcast: (message: SessionMessage) => channel?.post(message) },
    isStored: options.storage !== undefined,
  });
  const secondary = createSecondary(options.secondaryToken, { events, manager, clock, loadRest });
  const probe = createSessionProbe({ manager, events, ask: async (token, call) => caller.ask(token, call) });
  const recovery = createRecovery({ manager, isAlive: probe.isAlive, replace, disposed });
  const stored = new StoredSession({
    ...{ ...parts, sender, manager, load: probe.load, replaceStored: recovery.replaceStored },
    canSignIn: options.reauthenticate !== undefined,
  });
  const caller = new Caller({ ...parts, sender, manager, secondary, probe, recovery, stored });
  const session: ClientSession = {
    ...{ ...parts, clock, sender, exclusive, manager, secondary, probe, recovery, stored, caller, report },
    signOut: async (callOptions) => signOut({ manager, caller }, callOptions),
  };
  // Nobody else has the default storage.
  const channel = options.storage ? shareSession(session) : null;
  disposed.addEventListener('abort', () => channel?.close());
  if (options.storage) void manager.checkStorage();
  startSessionMonitor(session);
  if (options.keepAlive) {
    const loading = new AbortController();
    const started = loadRest()
      .then(({ startKeepAlive }) => startKeepAlive(session))
      .catch(() => undefined)
      .finally(() => loading.abort());
    // The clock may jump before the code is loaded.
    options.clock?.onJump?.((waitUntil) => waitUntil(started), loading.signal);
  }
  return session;
}
