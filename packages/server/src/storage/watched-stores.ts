import type { Meter } from '../core/meter.ts';
import type { AttemptLimiter } from './attempt-limits/attempt-limiter.ts';
import type { EntityStore } from './entity-store/entity-store.ts';
import type { Peers } from './peers/peers.ts';
import type { SessionStore } from './session-store/session-store.ts';

interface WatchedStores {
  readonly database: EntityStore;
  readonly sessions: SessionStore;
  readonly attempts: AttemptLimiter;
  readonly peers: Peers;
}

/** Where the API sessions, the attempts and the messages of the peers are. */
type SessionSystem = 'sqlite' | 'redis';

/** The stores, with their operations measured. */
export function watchStores(stores: WatchedStores, system: SessionSystem, meter: Meter): WatchedStores {
  return {
    database: watchEntities(stores.database, meter),
    sessions: watchSessions(stores.sessions, system, meter),
    attempts: watchAttempts(stores.attempts, system === 'redis' ? 'redis' : 'memory', meter),
    peers: system === 'redis' ? watchPeers(stores.peers, meter) : stores.peers,
  };
}

/** Single statements are measured by the driver. */
function watchEntities(database: EntityStore, meter: Meter): EntityStore {
  const labels = { store: 'entities', system: database.dialect, operation: 'transaction' };
  const measure = meter.measure({ kind: 'store', labels });
  return { ...database, transaction: (work) => measure(() => database.transaction(work)) };
}

export function watchSessions(sessions: SessionStore, system: SessionSystem, meter: Meter): SessionStore {
  const place = { store: 'sessions', system, meter };
  const watched = watch(sessions, place, [
    ...(['create', 'touch', 'peek', 'update', 'find', 'load', 'remove', 'removeByIdentity', 'list'] as const),
    ...(['identitiesWithSessions', 'bumpVersion', 'rightsVersion', 'bumpRightsVersion'] as const),
  ]);
  const ofServices = ['open', 'present', 'find', 'ofApiSession', 'remove', 'list'] as const;
  const parts = {
    certificates: watch(sessions.certificates, { ...place, store: 'sessionCertificates' }, ['list', 'add', 'remove']),
    serviceSessions: watch(sessions.serviceSessions, { ...place, store: 'serviceSessions' }, ofServices),
    data: watch(sessions.data, { ...place, store: 'sessionData' }, ['read', 'replace']),
  };
  return { ...watched, ...parts };
}

function watchAttempts(attempts: AttemptLimiter, system: 'memory' | 'redis', meter: Meter): AttemptLimiter {
  const measure = meter.measure({ kind: 'store', labels: { store: 'attempts', system, operation: 'consume' } });
  const admitted = meter.counter('attempts', { outcome: 'admitted' });
  const refused = meter.counter('attempts', { outcome: 'refused' });
  return {
    async consume(key) {
      const wait = await measure(() => attempts.consume(key));
      (wait > 0 ? refused : admitted)(1);
      return wait;
    },
    close: () => attempts.close(),
  };
}

function watchPeers(peers: Peers, meter: Meter): Peers {
  return watch(peers, { store: 'peers', system: 'redis', meter }, ['publish', 'sendToOne', 'show', 'shown']);
}

interface Place {
  readonly store: string;
  readonly system: string;
  readonly meter: Meter;
}

type AsyncMethod = (...args: never[]) => Promise<unknown>;
type AsyncName<Store> = { [Name in keyof Store]: Store[Name] extends AsyncMethod ? Name : never }[keyof Store] & string;

/** A store whose named methods are measured. A copy, because a proxy would cost each session check more than the measurement. */
function watch<Store extends object>(
  store: Store,
  { store: name, system, meter }: Place,
  methods: readonly AsyncName<Store>[],
): Store {
  const copy = new Map<string, unknown>(
    memberNames(store).map((member) => [member, bound(store, Reflect.get(store, member))]),
  );
  for (const operation of methods) {
    const measure = meter.measure({ kind: 'store', labels: { store: name, system, operation } });
    const method = copy.get(operation) as AsyncMethod;
    copy.set(operation, (...args: never[]) => measure(() => method(...args)));
  }
  return Object.fromEntries(copy) as Store;
}

/** Those of the object, and of its class if it has one. */
function memberNames(store: object): readonly string[] {
  const shared = Object.getPrototypeOf(store);
  const ofClass = shared === Object.prototype ? [] : Object.getOwnPropertyNames(shared);
  return [...Object.keys(store), ...ofClass.filter((name) => name !== 'constructor')];
}

/** Methods need their store, because its private fields belong to it. */
function bound(store: object, member: unknown): unknown {
  return typeof member === 'function' ? member.bind(store) : member;
}
