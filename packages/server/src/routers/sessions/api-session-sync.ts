import { RecentlyUsed } from '../../core/cache/recently-used.ts';
import type { Logger } from '../../core/log/log.ts';
import { sessionId, tokenHash } from '../../core/secrets/ids.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { ApiSessionChange } from '../../storage/session-store/session-store.ts';
import { IndexedTable } from '../indexed-table.ts';
import type { LiveRouter } from '../live-router.ts';
import { FullStates, repeatAfter } from './full-states.ts';
import type { KnownSession, SessionSources } from './known-sessions.ts';
import { readKnownSessions, readRoutedIdentities, routerIdsOf } from './known-sessions.ts';
import type { SessionChange } from './session-changes.ts';
import { changesFor, isFor } from './session-changes.ts';
import { added, removed, updated } from './session-messages.ts';

/** Sessions that have ended, so that a late read does not bring them back. */
const maxEnded = 100_000;
const retryInterval = 1_000;
/** Changes that are read, and identities that are judged, in one step. */
const batchSize = 500;
/** Milliseconds until a router that has closed the channels of an API session may open new ones. */
const returnAfter = 250;

interface ApiSessionSyncOptions extends SessionSources {
  readonly clock: Clock;
  readonly log: Logger;
  /** The routers that are connected to this controller. */
  readonly routers: () => Iterable<LiveRouter>;
}

/**
 * Sends to each router of this controller which API sessions live that may use it. All that it sends is in its memory, too, because the
 * routers know sessions by their tokens. It reads everything when the first router connects, and when messages of changes were lost.
 */
export class ApiSessionSync {
  readonly #parts: ApiSessionSyncOptions;
  readonly #known = new IndexedTable<KnownSession, 'tokenHash' | 'identityId'>(['tokenHash', 'identityId']);
  readonly #fullStates: FullStates;
  readonly #ended = new RecentlyUsed<true>(maxEnded);
  #loaded: Promise<void> | null = null;
  readonly #changed = new Set<string>();
  /** Identities whose routers may be others now. */
  readonly #unjudged = new Set<string>();
  #working: Promise<void> | null = null;
  #isClosed = false;

  constructor(parts: ApiSessionSyncOptions) {
    this.#parts = parts;
    this.#fullStates = new FullStates({
      known: this.#known,
      newId: () => this.#newId(),
      message: (sessions, part) => added(sessions, { isFullState: true, part }),
    });
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Tells a router all sessions that live and may use it: what it knows beside them, it forgets. */
  async sendAll(router: LiveRouter): Promise<void> {
    await this.#load();
    await this.#fullStates.send(router);
  }

  change(change: ApiSessionChange): void {
    if (change.kind === 'ended') this.#end(change.ids);
    // Before the first router there is nobody to inform, and the load reads it.
    else if (this.#loaded) {
      this.#changed.add(change.tokenHash);
      void this.#work();
    }
  }

  /** Rights, or what a sign-in needs, may have changed. Routers forget the sessions that may not use them any more, and learn those that may. */
  judgeAgain(): void {
    if (!this.#loaded) return;
    for (const { identityId } of this.#known.all()) this.#unjudged.add(identityId);
    void this.#work();
  }

  /** Whether a router was informed of the API session with a token. */
  async isGiven(router: LiveRouter, token: string): Promise<boolean> {
    await this.#load();
    return this.#known.of('tokenHash', tokenHash(token)).some((session) => isFor(router, session));
  }

  /**
   * Closes the channels of API sessions at a router, with everything on them. Applications whose API session lives connect again. This is
   * for what the router itself does not close and this controller does not know: circuits of a process that is gone.
   */
  async disconnect(router: LiveRouter, apiSessionIds: readonly string[]): Promise<void> {
    await this.#load();
    const known = () => [...new Set(apiSessionIds)].flatMap((id) => this.#known.get(id) ?? []);
    // A right that is new may not be known yet.
    for (const { identityId } of known()) this.#unjudged.add(identityId);
    await this.#work();
    const live = () => known().filter((session) => isFor(router, session));
    const tokens = live().map(({ token }) => token);
    if (tokens.length === 0) return;
    router.send(removed(tokens));
    // Routers work on both messages at the same time.
    setTimeout(() => this.#add(router, live()), returnAfter).unref();
  }

  /** Tells all routers everything again. */
  sendAgain(): void {
    if (!this.#loaded) return;
    for (const router of this.#parts.routers()) void this.#fullStates.send(router);
  }

  /** Messages were lost: everything is read again, and all routers are informed. */
  async readAgain(): Promise<void> {
    if (!this.#loaded) return;
    this.#loaded = this.#readAll();
    await this.#loaded;
    // What was read first may be older than what was judged meanwhile.
    this.judgeAgain();
    for (const router of this.#parts.routers()) void this.#fullStates.send(router);
  }

  #load(): Promise<void> {
    this.#loaded ??= this.#readAll();
    return this.#loaded;
  }

  async #readAll(): Promise<void> {
    const { sessions, log } = this.#parts;
    for (;;) {
      try {
        const before = new Set([...this.#known.all()].map(({ id }) => id));
        const { batches } = await sessions.list({ limit: -1, sort: 'id' });
        for await (const batch of batches) {
          for (const session of await readKnownSessions(this.#parts, batch)) {
            before.delete(session.id);
            this.#keep(session);
          }
        }
        // Those that were added meanwhile were not there before.
        for (const id of before) this.#known.delete(id);
        return;
      } catch (error) {
        if (this.#isClosed) return;
        log.warn({ err: error }, 'the API sessions for edge routers cannot be read yet');
        await new Promise((resolve) => setTimeout(resolve, retryInterval).unref());
      }
    }
  }

  #keep(session: KnownSession): SessionChange | null {
    if (this.#ended.get(session.id)) return null;
    const before = this.#known.get(session.id) ?? null;
    this.#known.set(session);
    return { before, after: session };
  }

  #end(ids: readonly string[]): void {
    const changes = ids.map((id) => {
      this.#ended.set(id, true);
      return { before: this.#known.delete(id), after: null };
    });
    this.#send(changes);
  }

  #work(): Promise<void> {
    this.#working ??= this.#workOff();
    return this.#working;
  }

  /** One step after the other, so that nothing is judged by rights that are older than those of another step. */
  async #workOff(): Promise<void> {
    await this.#loaded;
    while (this.#changed.size + this.#unjudged.size > 0 && !this.#isClosed) {
      const [hashes, identityIds] = [take(this.#changed), take(this.#unjudged)];
      try {
        await this.#read(hashes);
        await this.#judge(identityIds);
      } catch (error) {
        this.#parts.log.warn({ err: error }, 'a change of API sessions waits for edge routers');
        for (const hash of hashes) this.#changed.add(hash);
        for (const id of identityIds) this.#unjudged.add(id);
        await new Promise((resolve) => setTimeout(resolve, retryInterval).unref());
      }
    }
    // In the turn of the last check: what comes now begins again.
    this.#working = null;
  }

  async #read(hashes: readonly string[]): Promise<void> {
    if (hashes.length === 0) return;
    const stored = await this.#parts.sessions.load(hashes);
    const sessions = await readKnownSessions(this.#parts, stored);
    const found = new Set(sessions.map((session) => session.tokenHash));
    // Its identity has rights now, for example.
    const lost = hashes.flatMap((hash) => (found.has(hash) ? [] : this.#known.of('tokenHash', hash)));
    const changes = lost.map(({ id }) => ({ before: this.#known.delete(id), after: null }));
    this.#send([...changes, ...sessions.flatMap((session) => this.#keep(session) ?? [])], { isNews: true });
  }

  async #judge(identityIds: readonly string[]): Promise<void> {
    if (identityIds.length === 0) return;
    const judged = await readRoutedIdentities(this.#parts, identityIds);
    const sessions = identityIds.flatMap((id) => this.#known.of('identityId', id));
    const changes = sessions.flatMap((session) => {
      const routerIds = routerIdsOf(this.#parts, session.proofs, judged.get(session.identityId));
      const isSame = routerIds === session.routerIds;
      return isSame ? [] : (this.#keep({ ...session, routerIds }) ?? []);
    });
    this.#send(changes);
  }

  /** `isNews`: also those that a router knows and keeps have changed. */
  #send(changes: readonly SessionChange[], { isNews = false } = {}): void {
    if (changes.length === 0) return;
    for (const router of this.#parts.routers()) {
      const of = changesFor(router, changes);
      if (of.removed.length > 0) router.send(removed(of.removed.map(({ token }) => token)));
      this.#add(router, of.added);
      if (isNews && of.kept.length > 0) router.send(updated(of.kept));
    }
  }

  #add(router: LiveRouter, sessions: readonly KnownSession[]): void {
    if (sessions.length === 0) return;
    router.send(added(sessions, { isFullState: false, part: { id: this.#newId(), sequence: 0, isLast: true } }));
    if (!this.#fullStates.isSettling(router)) return;
    const again = () => {
      const live = sessions.flatMap(({ id }) => this.#known.get(id) ?? []).filter((session) => isFor(router, session));
      if (live.length > 0) router.send(updated(live));
    };
    void this.#fullStates.whenSent(router).then(() => setTimeout(again, repeatAfter).unref());
  }

  #newId(): string {
    return sessionId(this.#parts.clock());
  }
}

/** Takes the first ones out of a set. */
function take(from: Set<string>): readonly string[] {
  const first = [...from.values().take(batchSize)];
  for (const one of first) from.delete(one);
  return first;
}
