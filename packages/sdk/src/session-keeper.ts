import type { Clock } from './clock.ts';
import type { Events } from './events.ts';
import type { CurrentApiSessionDetail } from './generated/entities.ts';
import { createPastSessions } from './past-sessions.ts';
import type { Session } from './session.ts';
import { sessionOf, timeoutOf } from './session.ts';
import type { SessionEnd, SessionMessage } from './session-message.ts';
import type { ClientState, Happening } from './session-state.ts';
import { nextState } from './session-state.ts';
import type { SignOuts } from './sign-outs.ts';
import { createStoredToken } from './storage/stored-token.ts';
import type { TokenStorage } from './storage/token-storage.ts';

interface KeeperParts {
  readonly clock: Clock;
  readonly storage: TokenStorage;
  readonly storageKey: string;
  readonly events: Events;
  readonly signOuts: SignOuts;
  /** Tells the other clients with the same storage. */
  readonly tell: (message: SessionMessage) => void;
  /** Aborts at `dispose`. */
  readonly disposed: AbortSignal;
}

/** What a client knows about its session. */
export interface CurrentSession {
  readonly detail: CurrentApiSessionDetail;
  /** Milliseconds since 1970. `null`: the controller does not tell it. */
  readonly expiresAt: number | null;
  readonly view: Session;
  /** When the controller has shown it. */
  readonly shownAt: number;
  /** A sign-in is about to write the token to the storage. */
  readonly isUnwritten?: boolean | undefined;
}

export type SessionKeeper = ReturnType<typeof createSessionKeeper>;

/** Keeps the session of a client. Every change updates the state first, then the storage, then it runs the listeners. */
export function createSessionKeeper(parts: KeeperParts) {
  const { clock, storage, storageKey, events, signOuts, disposed } = parts;
  const stored = createStoredToken(storage, storageKey);
  let state: ClientState = 'signed-out';
  let current: CurrentSession | null = null;
  const signingIn = new Set<string>();
  const past = createPastSessions();
  let replacements = 0;
  let reads = 0;
  let newestRead = 0;

  const tokenNow = () => current?.detail.token ?? null;
  const view = () => current?.view ?? null;

  function happen(happening: Happening, isReplacement = false): void {
    const previous = state;
    state = nextState(state, happening);
    if (isReplacement) replacements += 1;
    if (state !== previous) events.emit('stateChange', { state, previous, session: view() });
    if (isReplacement) events.emit('sessionChange', null);
  }

  /** Commits what is known about a session, which may be another one. `told`: what another client knows about it. */
  function show(detail: CurrentApiSessionDetail, told: Partial<CurrentSession> = {}): void {
    const shownAt = clock();
    const before = tokenNow() === detail.token ? current : null;
    const timeout = timeoutOf(detail);
    const { expiresAt = timeout && shownAt + timeout } = told;
    const session = sessionOf(detail, expiresAt);
    const isMoved = Math.abs(Number(expiresAt) - Number(before?.view.expiresAt)) >= 1000;
    const isSame = before && !isMoved && textOf(session) === textOf(before.view);
    forget(before);
    current = { ...before, shownAt, ...told, detail, expiresAt, view: isSame ? before.view : session };
    happen(`${before ? 'shown' : 'begun'}${session.state === 'full' ? 'Full' : 'Partial'}`, !before);
    if (!before) return;
    const isAsked = JSON.stringify(session.authQueries) !== JSON.stringify(before.view.authQueries);
    if (isAsked || isMoved) announce(isAsked ? 'session' : 'extended', detail.token, !told.shownAt);
  }

  /** Runs the listeners. `isOwn`: the other clients do not know it yet. */
  function announce(event: 'session' | 'extended', token: string, isOwn: boolean): void {
    if (tokenNow() !== token || current === null || signingIn.has(token)) return;
    const { view: session, detail, expiresAt, shownAt } = current;
    if (isOwn) tell({ kind: 'shown', detail, expiresAt, shownAt });
    events.emit(event, session);
  }

  function tell(message: SessionMessage): void {
    try {
      if (!disposed.aborted) parts.tell(message);
    } catch {
      // A channel that fails must not stop a sign-out or a call.
    }
  }

  /** Forgets the current session unless it is the one to keep. */
  function forget(keep: CurrentSession | null = null): void {
    if (current === null || current === keep) return;
    past.add(current.detail.token, current.detail.identityId);
    current = null;
  }

  function forgetEnded(by: SessionEnd): void {
    if (by === 'signedOut') signOuts.note();
    forget();
    happen(by === 'signedOut' ? by : 'ended', true);
  }

  const self = {
    view,
    state: () => state,
    token: tokenNow,
    current: (): CurrentSession | null => current,
    show,
    announce,
    forgetEnded,
    /** How often the session was replaced or ended. */
    replacements: () => replacements,
    /** A late message must not bring the session of this token back. */
    notePast: (token: string): void => past.add(token),
    peekStored: stored.peek,
    /** The token in the storage, unless its session was replaced or ended here. */
    async readStored(): Promise<string | null> {
      const token = await stored.read();
      return token !== null && self.isPast(token) ? null : token;
    },
    isPast: (token: string): boolean => past.identityOf(token) !== undefined && tokenNow() !== token,
    removeStored: stored.remove,
    /** Begins a new session. `null`: a listener has ended it. */
    async begin(detail: CurrentApiSessionDetail): Promise<Session | null> {
      const { token } = detail;
      show(detail, { isUnwritten: true });
      const session = view();
      const isCurrent = () => tokenNow() === token;
      try {
        await stored.write(token, isCurrent);
      } finally {
        if (current && isCurrent()) current = { ...current, isUnwritten: false };
        announce('session', token, true);
      }
      return session;
    },
    /** Takes over the session of the token in the storage, unless another one began or it ended meanwhile. */
    async resume(detail: CurrentApiSessionDetail): Promise<void> {
      const { token } = detail;
      const before = tokenNow();
      // Not inside of the lock, because listeners run here. Whoever changes the token now sends a message about it.
      if ((await stored.read()) !== token || tokenNow() !== before || self.isPast(token)) return;
      show(detail);
      announce('session', token, false);
    },
    /** Ends the session with this token in the client and in the storage, and tells the other clients. */
    async end(token: string, by: SessionEnd): Promise<void> {
      const session = tokenNow() === token ? view() : null;
      if (session !== null) forgetEnded(by);
      past.add(token);
      tell({ kind: 'ended', token, by });
      try {
        await stored.remove(token);
      } finally {
        if (session !== null) events.emit(by === 'failed' ? 'expired' : by, session);
      }
    },
    /** Runs a sign-in that answers queries. The `session` event is emitted once, at the end of the sign-in. */
    async whileSigningIn<T>(token: string, run: () => Promise<T>): Promise<T> {
      signingIn.add(token);
      try {
        return await run();
      } finally {
        signingIn.delete(token);
        announce('session', token, true);
      }
    },
    /** Whether a request of this earlier session may be sent with the current one: both are of the same identity. */
    isReplaced: (token: string): boolean =>
      tokenNow() !== token && current !== null && past.identityOf(token) === current.detail.identityId,
    /** Restarts the timeout of the session after a successful call with this token, as the controller does. */
    restartTimeout(token: string): void {
      if (current && tokenNow() === token) show(current.detail);
    },
    /** Notes that the controller could not be reached, or that the time of the session has passed. */
    becomeStale(token: string, happening: 'unreachable' | 'timePassed'): void {
      if (tokenNow() === token) happen(happening);
    },
    /**
     * Call it before a request that reads this session. It returns a function that applies the response, unless a read
     * that began later has finished first. The function emits `session` when the authentication queries changed.
     */
    beginRead(token: string): (detail: CurrentApiSessionDetail) => void {
      reads += 1;
      const read = reads;
      return (detail) => {
        if (tokenNow() !== token || read < newestRead) return;
        newestRead = read;
        // The response may have no token or write it differently. The token of the request works.
        show({ ...detail, token });
      };
    },
  };
  return self;
}

const textOf = (session: Session): string => JSON.stringify({ ...session, expiresAt: 0 });
