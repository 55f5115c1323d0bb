import type { EntityRef } from '@edge-controller/shared-types';
import { KeyedCache } from '../../core/cache/keyed-cache.ts';
import { loadPerTurn } from '../../core/turns/load-per-turn.ts';
import type { Readers } from '../../crud/dependencies.ts';
import { readRefs } from '../../crud/read-refs.ts';
import type { SessionStore } from '../../storage/session-store/session-store.ts';
import type { AccessRouter, Selecting, ServicePolicy } from './load-access.ts';
import { loadRouterIds, loadRouters, loadSelecting, loadServicePolicies } from './load-access.ts';

/** Most identities, and most services, whose access is in memory. */
const maxKept = 100_000;
/** No id has it. */
const separator = ' ';

/** Who wants to use what. */
export interface Pair {
  readonly identityId: string;
  readonly serviceId: string;
}

/** What policies let an identity do with a service. */
export interface Access {
  /** `null`: there is no such service. */
  readonly service: EntityRef | null;
  /** The policies that select both, by their ids. */
  readonly policies: readonly ServicePolicy[];
}

/** The ids of policies. `key` is their text. The same ids are one object, because many identities and services have them. */
interface PolicyIds {
  readonly key: string;
  readonly ids: ReadonlySet<string>;
}

type Kept = { readonly [N in keyof Selecting]: PolicyIds };

type RouterPolicies = 'edgeRouterPolicies' | 'serviceEdgeRouterPolicies';

/**
 * Keeps in this process what policies say about identities, services and edge routers, until the version of the rights changes.
 *
 * What takes a right away changes this version. What only gives one does not: so a kept answer may miss a right that is new, and
 * `reload` must check before anything is refused.
 */
export class ServiceAccess {
  readonly #sessions: Pick<SessionStore, 'rightsVersion'>;
  readonly #identities: KeyedCache<Kept>;
  readonly #services: KeyedCache<Kept & { readonly ref: EntityRef | null }>;
  readonly #policies: KeyedCache<ServicePolicy | null>;
  /** By the ids of the policies. */
  readonly #routerIds: Readonly<Record<RouterPolicies, KeyedCache<ReadonlySet<string>>>>;
  readonly #routers: KeyedCache<AccessRouter | null>;
  #version: string | null = null;
  #policyIds = new Map<string, PolicyIds>();

  constructor(services: Readers, sessions: Pick<SessionStore, 'rightsVersion'>) {
    this.#sessions = sessions;
    const [identities, selecting] = (['identities', 'services'] as const).map((side) =>
      loadPerTurn((of: Readers, ids) => loadSelecting(of, side, ids)),
    );
    const refs = loadPerTurn((of: Readers, ids) => readRefs(of, 'services', ids));
    const policies = loadPerTurn(loadServicePolicies);
    const routers = loadPerTurn(loadRouters);
    this.#identities = new KeyedCache(maxKept, async (id) => this.#keep(await identities?.(services, id)));
    this.#services = new KeyedCache(maxKept, async (id) => {
      const [ref, selected] = await Promise.all([refs(services, id), selecting?.(services, id)]);
      return { ...this.#keep(selected), ref: ref ?? null };
    });
    this.#policies = new KeyedCache(maxKept, async (id) => (await policies(services, id)) ?? null);
    this.#routers = new KeyedCache(maxKept, async (id) => (await routers(services, id)) ?? null);
    this.#routerIds = {
      edgeRouterPolicies: routerIdsOf(services, 'edgeRouterPolicies'),
      serviceEdgeRouterPolicies: routerIdsOf(services, 'serviceEdgeRouterPolicies'),
    };
  }

  /** The version of the rights that is known. `null`: none. */
  get knownVersion(): string | null {
    return this.#version;
  }

  /** Reads the version of the rights, and forgets what is of another one. */
  async refresh(): Promise<string> {
    const version = await this.#sessions.rightsVersion();
    this.moveTo(version);
    return version;
  }

  /** Forgets what is of another version of the rights. */
  moveTo(version: string): void {
    if (version === this.#version) return;
    this.#version = version;
    for (const cache of this.#caches()) cache.clear();
    this.#policyIds = new Map();
  }

  /** What policies let an identity do with a service. It may miss a right that is new. */
  async of({ identityId, serviceId }: Pair): Promise<Access> {
    const [identity, service] = await Promise.all([this.#identities.get(identityId), this.#services.get(serviceId)]);
    const common = service.ref
      ? [...service.servicePolicies.ids].filter((id) => identity.servicePolicies.ids.has(id))
      : [];
    const policies = await Promise.all(common.map((id) => this.#policies.get(id)));
    return { service: service.ref, policies: policies.filter((policy) => policy !== null) };
  }

  /** The same, read again. */
  async reload(pair: Pair): Promise<Access> {
    const { policies } = await this.of(pair);
    for (const { id } of policies) this.#policies.delete(id);
    this.#identities.delete(pair.identityId);
    this.#services.delete(pair.serviceId);
    return await this.of(pair);
  }

  /** The ids of the edge routers that an identity may use. Identities with the same policies have the same object. */
  async routerIdsOf(identityId: string): Promise<ReadonlySet<string>> {
    const { routerPolicies } = await this.#identities.get(identityId);
    return await this.#routerIds.edgeRouterPolicies.get(routerPolicies.key);
  }

  /** The edge routers that an identity may use and through which a service can be reached. */
  async routersOf({ identityId, serviceId }: Pair): Promise<readonly AccessRouter[]> {
    const [own, service] = await Promise.all([this.routerIdsOf(identityId), this.#services.get(serviceId)]);
    const reaching = await this.#routerIds.serviceEdgeRouterPolicies.get(service.routerPolicies.key);
    const common = [...own].filter((id) => reaching.has(id));
    const routers = await Promise.all(common.map((id) => this.#routers.get(id)));
    return routers.filter((router) => router !== null);
  }

  /** Whether an edge router is one of `routersOf`. */
  async mayReach({ identityId, serviceId }: Pair, routerId: string): Promise<boolean> {
    const [own, service] = await Promise.all([this.routerIdsOf(identityId), this.#services.get(serviceId)]);
    const reaching = await this.#routerIds.serviceEdgeRouterPolicies.get(service.routerPolicies.key);
    return own.has(routerId) && reaching.has(routerId);
  }

  /** The service policies that select an identity. */
  async policiesOf(identityId: string): Promise<readonly ServicePolicy[]> {
    const { servicePolicies } = await this.#identities.get(identityId);
    const policies = await Promise.all([...servicePolicies.ids].map((id) => this.#policies.get(id)));
    return policies.filter((policy) => policy !== null);
  }

  #keep(selecting: Selecting | undefined): Kept {
    const { servicePolicies = [], routerPolicies = [] } = selecting ?? {};
    return { servicePolicies: this.#shared(servicePolicies), routerPolicies: this.#shared(routerPolicies) };
  }

  #shared(ids: readonly string[]): PolicyIds {
    const key = ids.join(separator);
    const known = this.#policyIds.get(key) ?? { key, ids: new Set(ids) };
    this.#policyIds.set(key, known);
    return known;
  }

  #caches() {
    const { edgeRouterPolicies, serviceEdgeRouterPolicies } = this.#routerIds;
    return [
      ...[this.#identities, this.#services, this.#policies, this.#routers],
      ...[edgeRouterPolicies, serviceEdgeRouterPolicies],
    ];
  }
}

function routerIdsOf(services: Readers, policies: RouterPolicies): KeyedCache<ReadonlySet<string>> {
  return new KeyedCache(maxKept, async (key) => {
    const ids = key === '' ? [] : key.split(separator);
    const byPolicy = ids.length === 0 ? new Map() : await loadRouterIds(services, policies, ids);
    return new Set([...byPolicy.values()].flat());
  });
}
