import type { ClientState } from '../api/client-state.ts';
import type { StateChange } from '../api/edge-events.ts';
import type { CurrentApiSessionDetail } from '../api/generated/entities.ts';
import type { EdgeClientOptions } from '../api/options.ts';
import type { Session } from '../api/session.ts';
import type { SessionSnapshot } from '../api/session-snapshot.ts';
import type { TokenStorage } from '../api/token-storage.ts';
import type { Clock } from '../lib/clock.ts';
import type { Epoch } from '../lib/epoch.ts';
import { weakCallback } from '../lib/weak-callback.ts';
import type { ClientEvents } from './client-events.ts';
import type { Exclusive } from './exclusive-of.ts';
import { createPastSessions } from './past-sessions.ts';
import type { SessionEnd, SessionMessage } from './session-message.ts';
import { lastEndOf, sessionOf, timeoutOf } from './session-of.ts';
import type { StateTrigger } from './session-state.ts';
import { nextState } from './session-state.ts';
import type { StoredToken } from './stored-token.ts';
import { createStoredToken } from './stored-token.ts';

interface ManagerParts {
  readonly options: Pick<EdgeClientOptions, 'logger'>;
  readonly clock: Clock;
  readonly storage: TokenStorage;
  readonly storageKey: string;
  /** Whether the storage may have a session from before. */
  readonly isStored: boolean;
  readonly exclusive: Exclusive;
  readonly events: Pick<ClientEvents, 'emit'>;
  readonly signOuts: Epoch;
  /** Sends a message to the other clients with the same storage. */
  readonly broadcast: (message: SessionMessage) => void;
  /** Aborts at `dispose`. */
  readonly disposed: AbortSignal;
}

/** What a client knows about its session. */
export interface CurrentSession {
  readonly detail: CurrentApiSessionDetail;
  /** Milliseconds since 1970. `null`: the controller does not tell it. */
  readonly expiresAt: number | null;
  /** When it ends however much it is used, as `expiresAt`. `null`: only its timeout ends it. */
  readonly endsAt: number | null;
  readonly view: Session;
  /** When the controller has shown it. */
  readonly shownAt: number;
  /** A sign-in is about to write the token to the storage. */
  readonly isUnwritten?: boolean | undefined;
}

/** Keeps the session of a client. Every change updates the state first, then the storage, then it runs the listeners. */
export class SessionManager {
  readonly #parts: ManagerParts;
  readonly #stored: StoredToken;
  readonly #past = createPastSessions();
  readonly #signingIn = new Set<string>();
  #state: ClientState;
  #current: CurrentSession | null = null;
  #canPeek = false;
  /** The token of the session whose end was seen last. */
  #ended: string | null = null;
  /** Broadcasts an end that moved too little for a message at once. */
  #broadcastTimer: ReturnType<typeof setTimeout> | undefined;
  #replacements = 0;
  #reads = 0;
  #newestRead = 0;

  constructor(parts: ManagerParts) {
    this.#parts = parts;
    this.#state = parts.isStored ? 'unknown' : 'signed-out';
    this.#stored = createStoredToken(parts.storage, parts.storageKey, parts.exclusive, parts.options.logger);
  }

  view(): Session | null {
    return this.#current?.view ?? null;
  }

  state(): ClientState {
    return this.#state;
  }

  /** The last snapshot, or a new one when the state or the session is another one. */
  snapshot(last: SessionSnapshot): SessionSnapshot {
    const state = this.#state;
    const session = this.view();
    if (last.state === state && last.session === session) return last;
    // The callers of `#transition` set the session that belongs to the state.
    return Object.freeze({ state, session } as SessionSnapshot);
  }

  token(): string | null {
    return this.#current?.detail.token ?? null;
  }

  current(): CurrentSession | null {
    return this.#current;
  }

  /** How often the session was replaced or ended. */
  replacements(): number {
    return this.#replacements;
  }

  /** Stores the detail of the current session or of a new one. `known`: what another client knows about it. */
  show(detail: CurrentApiSessionDetail, known: Partial<CurrentSession> = {}): void {
    const shownAt = this.#parts.clock();
    const before = this.token() === detail.token ? this.#current : null;
    const timeout = timeoutOf(detail);
    const { expiresAt: unbounded = timeout && shownAt + timeout } = known;
    const { endsAt = detail === before?.detail ? before.endsAt : lastEndOf(detail, unbounded) } = known;
    const expiresAt = unbounded && Math.min(unbounded, endsAt ?? unbounded);
    const session = sessionOf(detail, expiresAt);
    const moved = Math.abs(Number(expiresAt) - Number(before?.view.expiresAt));
    // Others have broadcast a move that was worth it.
    const isMoved = known.shownAt === undefined ? moved >= broadcastDelay : moved > 0;
    const isSame = before && !isMoved && textOf(session) === textOf(before.view);
    this.#forget(before);
    this.#current = { ...before, shownAt, ...known, detail, expiresAt, endsAt, view: isSame ? before.view : session };
    this.#transition(`${before ? 'shown' : 'begun'}${session.state === 'full' ? 'Full' : 'Partial'}`, !before);
    if (!before) return;
    const isAsked = JSON.stringify(session.authQueries) !== JSON.stringify(before.view.authQueries);
    if (isAsked || isMoved) this.announce(isAsked ? 'session' : 'extended', detail.token, !known.shownAt);
    else if (moved > 0) this.#broadcastLater();
  }

  /** Runs the listeners. `isOwn`: the other clients do not know it yet. */
  announce(event: 'session' | 'extended', token: string, isOwn: boolean): void {
    const current = this.#current;
    if (current?.detail.token !== token || this.#signingIn.has(token)) return;
    const { view, detail, expiresAt, endsAt, shownAt } = current;
    if (isOwn) this.#broadcast({ kind: 'shown', detail, expiresAt, endsAt, shownAt, canPeek: this.#canPeek });
    this.#parts.events.emit(event, view);
  }

  forgetEnded(by: SessionEnd): void {
    if (by === 'signedOut') this.#parts.signOuts.advance();
    this.#forget();
    this.#transition(by === 'signedOut' ? by : 'ended', true);
  }

  /** The controller does not know the session of this token any more, or is being asked to end it. */
  markEnded(token: string): void {
    this.#ended = token;
  }

  /** Whether a request that ends the session is of no use any more. */
  isEnded(token: string): boolean {
    return this.#ended === token;
  }

  /** A late message must not bring the session of this token back. */
  rememberPast(token: string): void {
    this.#past.add(token);
  }

  isPast(token: string): boolean {
    return this.#past.identityOf(token) !== undefined && this.token() !== token;
  }

  /** Whether a request of this earlier session may be sent with the current one: both are of the same identity. */
  isReplaced(token: string): boolean {
    const current = this.#current;
    return current !== null && this.token() !== token && this.#past.identityOf(token) === current.detail.identityId;
  }

  /** The token in the storage, also while another client is about to change it. */
  peekStored(): Promise<string | null> {
    return this.#stored.peek();
  }

  /** The token in the storage, unless its session was replaced or ended here. */
  async readStored(): Promise<string | null> {
    const token = await this.#stored.read();
    return token !== null && this.isPast(token) ? null : token;
  }

  removeStored(token: string): Promise<void> {
    return this.#stored.remove(token);
  }

  /** Begins a new session. `null`: a listener has ended it. */
  async begin(detail: CurrentApiSessionDetail): Promise<Session | null> {
    const { token } = detail;
    this.show(detail, { isUnwritten: true });
    const session = this.view();
    const isCurrent = () => this.token() === token;
    try {
      await this.#stored.write(token, isCurrent);
    } finally {
      if (this.#current && isCurrent()) this.#current = { ...this.#current, isUnwritten: false };
      this.announce('session', token, true);
    }
    return session;
  }

  /** Takes over the session of the token in the storage, unless another one began or it ended meanwhile. */
  async resume(detail: CurrentApiSessionDetail, left: number | null): Promise<void> {
    const { token } = detail;
    const before = this.token();
    // Not inside of the lock, because listeners run here. Whoever changes the token now sends a message about it.
    if ((await this.#stored.read()) !== token || this.token() !== before || this.isPast(token)) return;
    this.show(detail, this.#endIn(left));
    // A controller that does not tell what is left has counted the question as a use.
    this.announce('session', token, left === null);
  }

  /** Ends the session with this token in the client and in the storage, and tells the other clients. */
  async end(token: string, by: SessionEnd): Promise<void> {
    const session = this.token() === token ? this.view() : null;
    if (session !== null) this.forgetEnded(by);
    this.#past.add(token);
    this.markNothingStored();
    this.#broadcast({ kind: 'ended', token, by });
    try {
      await this.#stored.remove(token);
    } finally {
      if (session !== null) this.#parts.events.emit(by === 'failed' ? 'expired' : by, session);
    }
  }

  /** Runs a sign-in that answers queries. The `session` event is emitted once, at the end of the sign-in. */
  async whileSigningIn<T>(token: string, run: () => Promise<T>): Promise<T> {
    this.#signingIn.add(token);
    try {
      return await run();
    } finally {
      this.#signingIn.delete(token);
      this.announce('session', token, true);
    }
  }

  /** Restarts the timeout of the session after a successful call with this token, as the controller does, or sets what is left. */
  restartTimeout(token: string, left: number | null): void {
    if (this.#current && this.token() === token) this.show(this.#current.detail, this.#endIn(left));
  }

  /**
   * A backend has used the session with this token, and so much was left at `since` or later. It cannot be less than what the
   * controller has said.
   */
  extend(token: string, left: number, since: number): void {
    const current = this.#current;
    if (current?.detail.token !== token || current.expiresAt === null) return;
    const expiresAt = since + Math.min(left, timeoutOf(current.detail) ?? 0);
    if (expiresAt > current.expiresAt) this.show(current.detail, { expiresAt });
  }

  /** Whether the controller can be asked about the session without a use of it. */
  canPeek(): boolean {
    return this.#canPeek;
  }

  /** A controller that tells what is left of the session knows questions that are no use of it. */
  allowPeek(): void {
    this.#canPeek = true;
  }

  /** Nobody is signed in when the storage has no token, and when the controller does not know its session. */
  markNothingStored(): void {
    if (this.#current === null) this.#transition('nothingStored');
  }

  /** Without a token in the storage, nobody is signed in. */
  async checkStorage(): Promise<void> {
    const token = await this.#stored.peek().catch(() => null);
    if (!token || this.isPast(token)) this.markNothingStored();
  }

  /** Records that the controller could not be reached, or that the time of the session has passed. */
  becomeStale(token: string, trigger: 'unreachable' | 'timePassed'): void {
    if (this.token() === token) this.#transition(trigger);
  }

  /**
   * Call it before a request that reads this session. It returns a function that applies the response, unless a read
   * that began later has finished first. The function emits `session` when the authentication queries changed.
   */
  beginRead(token: string): (detail: CurrentApiSessionDetail, left: number | null) => void {
    this.#reads += 1;
    const read = this.#reads;
    return (detail, left) => {
      if (this.token() !== token || read < this.#newestRead) return;
      this.#newestRead = read;
      // The response may have no token or write it differently. The token of the request works.
      this.show({ ...detail, token }, this.#endIn(left));
    };
  }

  /** What the controller has said about the end of the session. */
  #endIn(left: number | null): Partial<CurrentSession> {
    return left === null ? {} : { expiresAt: this.#parts.clock() + left };
  }

  #broadcastLater(): void {
    if (this.#broadcastTimer !== undefined) return;
    this.#broadcastTimer = setTimeout(weakCallback<SessionManager>(this, broadcastNow), broadcastDelay);
    // The timer must not keep a Node process alive.
    if (typeof this.#broadcastTimer === 'object') this.#broadcastTimer.unref();
  }

  /** Broadcasts the end of the session if it has moved since the last message. */
  broadcast(): void {
    this.#broadcastTimer = undefined;
    const current = this.#current;
    if (current === null || current.expiresAt === Number(current.view.expiresAt) || current.expiresAt === null) return;
    this.#current = { ...current, view: sessionOf(current.detail, current.expiresAt) };
    this.#parts.events.emit('snapshot', null);
    this.announce('extended', current.detail.token, true);
  }

  #transition(trigger: StateTrigger, isReplacement = false): void {
    const { events } = this.#parts;
    const previous = this.#state;
    const state = nextState(previous, trigger);
    this.#state = state;
    if (isReplacement) this.#replacements += 1;
    // The callers set the session that belongs to the state.
    const change = { state, previous, session: this.view() } as StateChange;
    if (state !== previous) events.emit('stateChange', change);
    if (isReplacement) events.emit('sessionChange', null);
    events.emit('snapshot', null);
  }

  /** Forgets the current session unless it is the one to keep. */
  #forget(keep: CurrentSession | null = null): void {
    const current = this.#current;
    if (current === null || current === keep) return;
    this.#past.add(current.detail.token, current.detail.identityId);
    this.#current = null;
  }

  #broadcast(message: SessionMessage): void {
    try {
      if (!this.#parts.disposed.aborted) this.#parts.broadcast(message);
    } catch {
      // A channel that fails must not stop a sign-out or a call.
    }
  }
}

/** An end that moves by fewer milliseconds is broadcast after this time, so that many calls make few messages. */
const broadcastDelay = 1_000;

const broadcastNow = (manager: SessionManager): void => manager.broadcast();

const textOf = (session: Session): string => JSON.stringify({ ...session, expiresAt: 0 });
