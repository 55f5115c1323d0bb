import { controlHeaders, controlTypes, headerValue } from '@edge-controller/shared-types/channel';
import type { Clock } from '../../lib/clock.ts';
import { sessionId } from '../../lib/ids.ts';
import type { Logger } from '../../lib/log.ts';
import { RecentlyUsed } from '../../lib/recently-used.ts';
import { encode } from '../../router-messages/codec.ts';
import {
  ApiSessionAddedSchema,
  ApiSessionRemovedSchema,
  ApiSessionUpdatedSchema,
} from '../../router-messages/generated/router_pb.js';
import type { ApiSessionChange } from '../../session-store/session-store.ts';
import type { Message } from '../channel/message.ts';
import type { LiveRouter } from '../live-router.ts';
import type { FullStatePart } from './full-states.ts';
import { FullStates, repeatAfter } from './full-states.ts';
import type { KnownSession, SessionSources } from './known-sessions.ts';
import { readKnownSessions } from './known-sessions.ts';

/** Sessions that have ended, so that a late read does not bring them back. */
const maxEnded = 100_000;
const retryInterval = 1_000;
/** Changes that are read in one step. */
const batchSize = 500;
/** Milliseconds until a router that has closed the channels of an API session may open new ones. */
const returnAfter = 250;

interface Parts extends SessionSources {
  readonly clock: Clock;
  readonly log: Logger;
  /** The routers that are connected to this controller. */
  readonly routers: () => Iterable<LiveRouter>;
}

/**
 * Tells the routers of this controller which API sessions live. All that it tells is in its memory, too, because the routers know
 * sessions by their tokens. It reads everything when the first router connects, and when notes of changes were lost.
 */
export class ApiSessionSync {
  readonly #parts: Parts;
  readonly #known = new Map<string, KnownSession>();
  readonly #byHash = new Map<string, KnownSession>();
  readonly #fullStates: FullStates;
  readonly #ended = new RecentlyUsed<true>(maxEnded);
  #loaded: Promise<void> | null = null;
  #changed = new Set<string>();
  #reading: Promise<void> | null = null;
  #isClosed = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#fullStates = new FullStates({
      known: this.#known,
      newId: () => this.#newId(),
      message: (sessions, part) => addedMessage(sessions, { isFullState: true, part }),
    });
  }

  close(): void {
    this.#isClosed = true;
  }

  /** Tells a router all sessions that live: what it knows beside them, it forgets. */
  async sendAll(router: LiveRouter): Promise<void> {
    this.#loaded ??= this.#load();
    await this.#loaded;
    await this.#fullStates.send(router);
  }

  change(change: ApiSessionChange): void {
    if (change.kind === 'ended') this.#end(change.ids);
    // Before the first router there is nobody to tell, and the load reads it.
    else if (this.#loaded) this.#readLater(change.tokenHash);
  }

  /**
   * Closes the channels of API sessions at a router, with everything on them. Applications whose API session lives connect again. This is
   * for what the router itself does not close and this controller does not know: circuits of a process that is gone.
   */
  async disconnect(router: LiveRouter, apiSessionIds: readonly string[]): Promise<void> {
    this.#loaded ??= this.#load();
    await this.#loaded;
    const live = () => [...new Set(apiSessionIds)].flatMap((id) => this.#known.get(id) ?? []);
    const tokens = live().map(({ token }) => token);
    if (tokens.length === 0) return;
    router.send(removed(tokens));
    // Routers work on both messages at the same time.
    setTimeout(() => this.#add(live(), [router]), returnAfter).unref();
  }

  /** Tells all routers everything again. */
  tellAgain(): void {
    if (!this.#loaded) return;
    for (const router of this.#parts.routers()) void this.#fullStates.send(router);
  }

  /** Notes were lost: everything is read again, and all routers are told. */
  async readAgain(): Promise<void> {
    if (!this.#loaded) return;
    this.#loaded = this.#load();
    await this.#loaded;
    for (const router of this.#parts.routers()) void this.#fullStates.send(router);
  }

  async #load(): Promise<void> {
    const { sessions, log } = this.#parts;
    for (;;) {
      try {
        const before = new Set(this.#known.keys());
        const { batches } = await sessions.list({ limit: -1, sort: 'id' });
        for await (const batch of batches) {
          for (const session of await readKnownSessions(this.#parts, batch)) {
            before.delete(session.id);
            this.#keep(session);
          }
        }
        // Those that were added meanwhile were not there before.
        for (const id of before) this.#forget(id);
        return;
      } catch (error) {
        if (this.#isClosed) return;
        log.warn({ err: error }, 'the API sessions for edge routers cannot be read yet');
        await new Promise((resolve) => setTimeout(resolve, retryInterval).unref());
      }
    }
  }

  #keep(session: KnownSession): boolean {
    if (this.#ended.get(session.id)) return false;
    this.#known.set(session.id, session);
    this.#byHash.set(session.tokenHash, session);
    return true;
  }

  #forget(id: string): KnownSession | null {
    const session = this.#known.get(id) ?? null;
    this.#known.delete(id);
    if (session) this.#byHash.delete(session.tokenHash);
    return session;
  }

  #end(ids: readonly string[]): void {
    const tokens = ids.flatMap((id) => {
      this.#ended.set(id, true);
      return this.#forget(id)?.token ?? [];
    });
    if (tokens.length > 0) this.#tellAll(removed(tokens));
  }

  #readLater(tokenHash: string): void {
    this.#changed.add(tokenHash);
    this.#reading ??= this.#readChanged().finally(() => {
      this.#reading = null;
    });
  }

  async #readChanged(): Promise<void> {
    await this.#loaded;
    while (this.#changed.size > 0 && !this.#isClosed) {
      const hashes = [...this.#changed].slice(0, batchSize);
      for (const hash of hashes) this.#changed.delete(hash);
      try {
        await this.#read(hashes);
      } catch (error) {
        this.#parts.log.warn({ err: error }, 'a change of API sessions waits for edge routers');
        for (const hash of hashes) this.#changed.add(hash);
        await new Promise((resolve) => setTimeout(resolve, retryInterval).unref());
      }
    }
  }

  async #read(hashes: readonly string[]): Promise<void> {
    const stored = await this.#parts.sessions.load(hashes);
    const sessions = await readKnownSessions(this.#parts, stored);
    const found = new Set(sessions.map(({ tokenHash }) => tokenHash));
    // It is partial again, for example.
    const lost = hashes.flatMap((hash) => (found.has(hash) ? [] : (this.#byHash.get(hash) ?? [])));
    const tokens = lost.map(({ id, token }) => {
      this.#forget(id);
      return token;
    });
    if (tokens.length > 0) this.#tellAll(removed(tokens));
    const isKnown = new Map(sessions.map(({ id }) => [id, this.#known.has(id)]));
    const kept = sessions.filter((session) => this.#keep(session));
    const [updated, added] = [kept.filter(({ id }) => isKnown.get(id)), kept.filter(({ id }) => !isKnown.get(id))];
    this.#add(added, [...this.#parts.routers()]);
    if (updated.length > 0) this.#tellAll(updatedMessage(updated));
  }

  #tellAll(message: Message): void {
    for (const router of this.#parts.routers()) router.send(message);
  }

  #add(sessions: readonly KnownSession[], routers: readonly LiveRouter[]): void {
    if (sessions.length === 0) return;
    const part = { id: this.#newId(), sequence: 0, isLast: true };
    const message = addedMessage(sessions, { isFullState: false, part });
    for (const router of routers) router.send(message);
    const settling = routers.filter((router) => this.#fullStates.isSettling(router));
    if (settling.length === 0) return;
    const again = () => {
      const live = sessions.flatMap(({ id }) => this.#known.get(id) ?? []);
      if (live.length > 0) for (const router of settling) router.send(updatedMessage(live));
    };
    setTimeout(again, repeatAfter).unref();
  }

  #newId(): string {
    return sessionId(this.#parts.clock());
  }
}

/** The message that API sessions of these tokens have ended. */
export function removed(tokens: readonly string[]): Message {
  return {
    type: controlTypes.apiSessionRemoved,
    body: encode(ApiSessionRemovedSchema, { tokens: [...tokens] }),
  };
}

/** The message that no API session lives. Without the headers of a part it counts at once. */
export const noApiSessions: Message = {
  type: controlTypes.apiSessionAdded,
  body: encode(ApiSessionAddedSchema, { isFullState: true }),
};

function addedMessage(
  sessions: readonly KnownSession[],
  { isFullState, part: { id, isLast, sequence } }: { readonly isFullState: boolean; readonly part: FullStatePart },
): Message {
  // What a router collects the parts of a full state by. Another text than this JSON would stop its process.
  const state = JSON.stringify({ id, isLast, sequence });
  return {
    type: controlTypes.apiSessionAdded,
    headers: syncHeaders(state),
    body: encode(ApiSessionAddedSchema, { isFullState, apiSessions: sessions.map(shown) }),
  };
}

function updatedMessage(sessions: readonly KnownSession[]): Message {
  return {
    type: controlTypes.apiSessionUpdated,
    headers: syncHeaders(''),
    body: encode(ApiSessionUpdatedSchema, { apiSessions: sessions.map(shown) }),
  };
}

function syncHeaders(state: string) {
  return new Map([
    [controlHeaders.syncStrategy, headerValue.text('instant')],
    [controlHeaders.syncState, headerValue.text(state)],
  ]);
}

function shown({ id, token, identityId, fingerprints }: KnownSession) {
  return { id, token, identityId, certFingerprints: [...fingerprints] };
}
