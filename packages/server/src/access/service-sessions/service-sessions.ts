import { setTimeout as delay } from 'node:timers/promises';
import type { AuditLog } from '../../audit/audit-log.ts';
import type { Actor } from '../../audit/entry-of.ts';
import { KeyedCache } from '../../core/cache/keyed-cache.ts';
import type { EventBus } from '../../core/events/bus.ts';
import type { ControllerEvents } from '../../core/events/events.ts';
import type { Clock } from '../../core/time/clock.ts';
import { loadPerTurn } from '../../core/turns/load-per-turn.ts';
import { sessionIdOf } from '../../pki/session-token.ts';
import type { AuthQuery } from '../../sessions/auth-state.ts';
import type { Principals } from '../../sessions/principals.ts';
import type { Peers } from '../../storage/peers/peers.ts';
import { sessionTopic } from '../../storage/peers/topics.ts';
import type { RightsScope } from '../../storage/revocation/effect.ts';
import type { EndedSessions } from '../../storage/revocation/ended-sessions.ts';
import { currentVersion } from '../../storage/session-store/current-version.ts';
import type { StoredServiceSession } from '../../storage/session-store/service-sessions.ts';
import type { SessionKey } from '../../storage/session-store/session-key.ts';
import type { SessionStore } from '../../storage/session-store/session-store.ts';
import { postureFactsOf } from '../posture/posture-facts.ts';
import type { AccessType, Judgement } from '../service-access/judge.ts';
import { judge, needsFacts } from '../service-access/judge.ts';
import type { LivePosture } from '../service-access/live-posture.ts';
import type { ServicePolicy } from '../service-access/load-access.ts';
import type { Access, ServiceAccess } from '../service-access/service-access.ts';
import type { SessionHolder } from './holder.ts';
import { holderOf, mayHold } from './holder.ts';

const maxKnownEnds = 100_000;
/** Milliseconds that a change of rights waits until open connections are judged. */
const patience = 250;

interface ServiceSessionsOptions {
  readonly sessions: SessionStore;
  readonly endedSessions: EndedSessions;
  readonly principals: Principals;
  readonly access: ServiceAccess;
  readonly posture: LivePosture;
  readonly authQueries: readonly AuthQuery[];
  readonly events: EventBus;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly peers: Peers;
}

/** Who ends sessions. `session`: that of an administrator. */
interface End extends Actor {
  readonly by: ControllerEvents['session.ended']['by'];
}

/** What an API session wants to do with a service. */
export interface Wanted {
  readonly serviceId: string;
  readonly type: AccessType;
}

/** A right as it was judged. */
export interface Right {
  readonly access: Access;
  readonly judgement: Judgement;
}

/** A session whose right is valid now. */
export interface JudgedServiceSession {
  readonly session: StoredServiceSession;
  readonly access: Access;
  /** The policies that give the right: their posture checks all pass. */
  readonly policies: readonly ServicePolicy[];
}

/**
 * Decides which sessions of services live. A session lives while its API session lives and its right is valid. Nothing of that is
 * stored: it is judged at each use, so that a lost right counts from the next request on, whatever the session store has lost.
 * A session whose right is lost ends for good.
 */
export class ServiceSessions {
  readonly #parts: ServiceSessionsOptions;
  /** Whether a session has ended, by its id. */
  readonly #ends: KeyedCache<boolean>;
  readonly #judges = new Set<() => Promise<void>>();
  #version: string | null = null;

  constructor(parts: ServiceSessionsOptions) {
    this.#parts = parts;
    const load = loadPerTurn(async (store: EndedSessions, ids) => {
      const ended = await store.find(ids);
      return new Map(ids.map((id) => [id, ended.has(id)]));
    });
    this.#ends = new KeyedCache(maxKnownEnds, async (id) => (await load(parts.endedSessions, id)) ?? false);
  }

  /** Judges whether an API session may use a service. What it refuses, it has read again. */
  async judge(holder: SessionHolder, wanted: Wanted): Promise<Right> {
    const { access } = this.#parts;
    const pair = { identityId: holder.principal.id, serviceId: wanted.serviceId };
    const known = await this.#judge(holder, wanted.type, await access.of(pair));
    if (known.judgement.kind === 'passing') return known;
    await access.refresh();
    return await this.#judge(holder, wanted.type, await access.reload(pair));
  }

  /** Returns those of the sessions whose right is valid now, in their order. Ends the others. */
  async validate(sessions: readonly StoredServiceSession[]): Promise<readonly JudgedServiceSession[]> {
    if (sessions.length === 0) return [];
    this.#moveTo(await this.#parts.access.refresh());
    const holders = await this.#holdersOf(sessions.map(({ apiSession }) => apiSession));
    // What belongs to an API session that has ended ends with it.
    const ofLive = sessions.filter(({ apiSession }) => holders.has(apiSession.id));
    const judged = await Promise.all(
      ofLive.map(async (session) => {
        const holder = holders.get(session.apiSession.id);
        if (!holder || (await this.#ends.get(session.id))) return { session, valid: null };
        const { access, judgement } = await this.judge(holder, session);
        return {
          session,
          valid: judgement.kind === 'passing' ? { session, access, policies: judgement.policies } : null,
        };
      }),
    );
    const lost = judged.flatMap(({ session, valid }) => (valid ? [] : [session]));
    // Edge routers close the connections while the store still writes. A right that is lost is refused from now on.
    if (lost.length > 0) this.#publishEnded(lost).catch(() => undefined);
    await this.end(lost, { by: 'controller' });
    return judged.flatMap(({ valid }) => valid ?? []);
  }

  /** Whether a session was ended before, although the store has it. */
  async hasEnded(id: string, version: string): Promise<boolean> {
    this.#moveTo(version);
    return await this.#ends.get(id);
  }

  /** Ends sessions for good, also if the session store loses their removal. Returns how many of them were there. */
  async end(sessions: readonly StoredServiceSession[], { by, ...actor }: End): Promise<number> {
    if (sessions.length === 0) return 0;
    const { audit, endedSessions, events, sessions: store } = this.#parts;
    const endings = new Map(sessions.map((session) => [session.id, removalOf(session, by)]));
    await endedSessions.addWith([...endings.keys()], (tx, added) =>
      audit.append(
        tx,
        actor,
        added.flatMap((id) => endings.get(id) ?? []),
      ),
    );
    const removals = sessions.map(async (session) => {
      this.#ends.set(session.id, true);
      if (!(await store.serviceSessions.remove(session))) return false;
      const { name, payload } = removalOf(session, by);
      events.emit(name, payload);
      return true;
    });
    const [removed] = await Promise.all([Promise.all(removals), this.#publishEnded(sessions)]);
    return removed.filter(Boolean).length;
  }

  /** Whether an API session has this live session of a service. `token`: the JWT or the id of the session. */
  async has(
    { stored }: { readonly stored: Pick<SessionKey, 'id'> },
    { token, serviceId }: { readonly token: string; readonly serviceId: string },
  ): Promise<boolean> {
    const id = await sessionIdOf(token);
    const found = id === null ? null : await this.#parts.sessions.serviceSessions.find(id);
    if (found?.apiSession.id !== stored.id || found.serviceId !== serviceId) return false;
    return (await this.validate([found])).length > 0;
  }

  /** Ends the sessions of an API session whose right is lost. */
  async endLost(apiSession: SessionKey): Promise<void> {
    await this.validate(await this.#parts.sessions.serviceSessions.ofApiSession(apiSession));
  }

  /** `judge` is called when rights have changed, and must not reject. Returns a function that ends this. */
  onRightsChanged(judge: () => Promise<void>): () => void {
    this.#judges.add(judge);
    return () => void this.#judges.delete(judge);
  }

  /** Rights have changed: ends the sessions in a scope whose right is lost. */
  async endLostIn(scope: RightsScope): Promise<void> {
    const judged = Promise.all([...this.#judges].map((judge) => judge()));
    await Promise.all([this.#endLostIn(scope), Promise.race([judged, delay(patience, undefined, { ref: false })])]);
  }

  async #endLostIn(scope: RightsScope): Promise<void> {
    if (scope === 'none') return;
    const identityId = scope !== 'all' && 'identityId' in scope ? scope.identityId : undefined;
    const serviceId = scope !== 'all' && 'serviceId' in scope ? scope.serviceId : undefined;
    for await (const batch of this.#parts.sessions.serviceSessions.batches(identityId)) {
      await this.validate(serviceId === undefined ? batch : batch.filter((session) => session.serviceId === serviceId));
    }
  }

  #publishEnded(sessions: readonly StoredServiceSession[]): Promise<void> {
    return this.#parts.peers.publish(sessionTopic, { kind: 'sessionsEnded', ids: sessions.map(({ id }) => id) });
  }

  async #judge(holder: SessionHolder, type: AccessType, access: Access): Promise<Right> {
    if (!needsFacts(access, type)) return { access, judgement: judge(access, type, null) };
    const { record, principal } = holder;
    const data = await holder.posture();
    const facts = postureFactsOf(record, { mfaId: principal.mfaId, data, now: this.#parts.clock() });
    return { access, judgement: judge(access, type, facts) };
  }

  /** Reads the API sessions that live, by their ids. `null`: it may not have sessions now. */
  async #holdersOf(keys: readonly SessionKey[]): Promise<ReadonlyMap<string, SessionHolder | null>> {
    const { sessions, principals } = this.#parts;
    const hashes = [...new Set(keys.map(({ tokenHash }) => tokenHash))];
    const [stored, version] = await Promise.all([sessions.load(hashes), currentVersion(sessions)]);
    const holders = await Promise.all(
      stored.map(async (record): Promise<readonly [string, SessionHolder | null][]> => {
        const principal = await principals.get(record, version);
        if (!principal) return [];
        return [
          [record.id, mayHold(this.#parts, record, principal) ? holderOf(this.#parts, { record, principal }) : null],
        ];
      }),
    );
    return new Map(holders.flat());
  }

  #moveTo(version: string): void {
    if (version === this.#version) return;
    this.#version = version;
    this.#ends.clear();
  }
}

function removalOf(
  { id: sessionId, serviceId, type, apiSession }: StoredServiceSession,
  by: ControllerEvents['session.ended']['by'],
) {
  const { id: apiSessionId, identityId } = apiSession;
  return { name: 'session.ended', payload: { sessionId, apiSessionId, identityId, serviceId, type, by } } as const;
}
