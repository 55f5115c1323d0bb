import type { ClientState } from '../api/client-state.ts';
import type { StateChange } from '../api/edge-events.ts';
import type { CurrentApiSessionDetail } from '../api/generated/entities.ts';
import type { Session } from '../api/session.ts';
import type { TokenStorage } from '../api/token-storage.ts';
import type { Clock } from '../lib/clock.ts';
import type { Epoch } from '../lib/epoch.ts';
import type { ClientEvents } from './client-events.ts';
import type { Exclusive } from './exclusive-of.ts';
import { createPastSessions } from './past-sessions.ts';
import type { SessionEnd, SessionMessage } from './session-message.ts';
import { sessionOf, timeoutOf } from './session-of.ts';
import type { StateTrigger } from './session-state.ts';
import { nextState } from './session-state.ts';
import type { StoredToken } from './stored-token.ts';
import { createStoredToken } from './stored-token.ts';

interface KeeperParts {
  readonly clock: Clock;
  readonly storage: TokenStorage;
  readonly storageKey: string;
  readonly exclusive: Exclusive;
  readonly events: Pick<ClientEvents, 'emit'>;
  readonly signOuts: Epoch;
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

/** Keeps the session of a client. Every change updates the state first, then the storage, then it runs the listeners. */
export class SessionKeeper {
  readonly #parts: KeeperParts;
  readonly #stored: StoredToken;
  readonly #past = createPastSessions();
  readonly #signingIn = new Set<string>();
  #state: ClientState = 'signed-out';
  #current: CurrentSession | null = null;
  #replacements = 0;
  #reads = 0;
  #newestRead = 0;

  constructor(parts: KeeperParts) {
    this.#parts = parts;
    this.#stored = createStoredToken(parts.storage, parts.storageKey, parts.exclusive);
  }

  view(): Session | null {
    return this.#current?.view ?? null;
  }

  state(): ClientState {
    return this.#state;
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

  /** Stores the detail of the current session or of a new one. `told`: what another client knows about it. */
  show(detail: CurrentApiSessionDetail, told: Partial<CurrentSession> = {}): void {
    const shownAt = this.#parts.clock();
    const before = this.token() === detail.token ? this.#current : null;
    const timeout = timeoutOf(detail);
    const { expiresAt = timeout && shownAt + timeout } = told;
    const session = sessionOf(detail, expiresAt);
    const isMoved = Math.abs(Number(expiresAt) - Number(before?.view.expiresAt)) >= 1000;
    const isSame = before && !isMoved && textOf(session) === textOf(before.view);
    this.#forget(before);
    this.#current = { ...before, shownAt, ...told, detail, expiresAt, view: isSame ? before.view : session };
    this.#transition(`${before ? 'shown' : 'begun'}${session.state === 'full' ? 'Full' : 'Partial'}`, !before);
    if (!before) return;
    const isAsked = JSON.stringify(session.authQueries) !== JSON.stringify(before.view.authQueries);
    if (isAsked || isMoved) this.announce(isAsked ? 'session' : 'extended', detail.token, !told.shownAt);
  }

  /** Runs the listeners. `isOwn`: the other clients do not know it yet. */
  announce(event: 'session' | 'extended', token: string, isOwn: boolean): void {
    const current = this.#current;
    if (current?.detail.token !== token || this.#signingIn.has(token)) return;
    const { view, detail, expiresAt, shownAt } = current;
    if (isOwn) this.#tell({ kind: 'shown', detail, expiresAt, shownAt });
    this.#parts.events.emit(event, view);
  }

  forgetEnded(by: SessionEnd): void {
    if (by === 'signedOut') this.#parts.signOuts.advance();
    this.#forget();
    this.#transition(by === 'signedOut' ? by : 'ended', true);
  }

  /** A late message must not bring the session of this token back. */
  notePast(token: string): void {
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
  async resume(detail: CurrentApiSessionDetail): Promise<void> {
    const { token } = detail;
    const before = this.token();
    // Not inside of the lock, because listeners run here. Whoever changes the token now sends a message about it.
    if ((await this.#stored.read()) !== token || this.token() !== before || this.isPast(token)) return;
    this.show(detail);
    this.announce('session', token, false);
  }

  /** Ends the session with this token in the client and in the storage, and tells the other clients. */
  async end(token: string, by: SessionEnd): Promise<void> {
    const session = this.token() === token ? this.view() : null;
    if (session !== null) this.forgetEnded(by);
    this.#past.add(token);
    this.#tell({ kind: 'ended', token, by });
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

  /** Restarts the timeout of the session after a successful call with this token, as the controller does. */
  restartTimeout(token: string): void {
    if (this.#current && this.token() === token) this.show(this.#current.detail);
  }

  /** Notes that the controller could not be reached, or that the time of the session has passed. */
  becomeStale(token: string, trigger: 'unreachable' | 'timePassed'): void {
    if (this.token() === token) this.#transition(trigger);
  }

  /**
   * Call it before a request that reads this session. It returns a function that applies the response, unless a read
   * that began later has finished first. The function emits `session` when the authentication queries changed.
   */
  beginRead(token: string): (detail: CurrentApiSessionDetail) => void {
    this.#reads += 1;
    const read = this.#reads;
    return (detail) => {
      if (this.token() !== token || read < this.#newestRead) return;
      this.#newestRead = read;
      // The response may have no token or write it differently. The token of the request works.
      this.show({ ...detail, token });
    };
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
  }

  /** Forgets the current session unless it is the one to keep. */
  #forget(keep: CurrentSession | null = null): void {
    const current = this.#current;
    if (current === null || current === keep) return;
    this.#past.add(current.detail.token, current.detail.identityId);
    this.#current = null;
  }

  #tell(message: SessionMessage): void {
    try {
      if (!this.#parts.disposed.aborted) this.#parts.tell(message);
    } catch {
      // A channel that fails must not stop a sign-out or a call.
    }
  }
}

const textOf = (session: Session): string => JSON.stringify({ ...session, expiresAt: 0 });
