import { isDeepStrictEqual } from 'node:util';
import type { EntityName } from '../storage/entity-store/tables.ts';
import type { RightsScope } from '../storage/revocation/effect.ts';
import type { AnyState, Entity } from './entity.ts';

/** How changes of an entity change who may use which services, and through which edge routers. */
interface Rule {
  /** Fields → which sessions may lose their right when one of them changes. */
  readonly fields: Readonly<Record<string, (id: string) => RightsScope>>;
  /** When the entity is created. Default: nobody has asked for it yet, so nothing is known of it anywhere. */
  readonly created?: RightsScope;
  /** When it is deleted. Default: what belongs to it ends in another way. */
  readonly deleted?: (id: string) => RightsScope;
}

const none = () => 'none' as const;
const all = () => 'all' as const;
const ofIdentity = (identityId: string) => ({ identityId });
const ofService = (serviceId: string) => ({ serviceId });

/** What routers are and who selects them: no session loses its right by that. */
const routes = { created: 'none', deleted: none } as const;

const rules: Readonly<Partial<Record<EntityName, Rule>>> = {
  identities: { fields: { roleAttributes: ofIdentity } },
  services: { fields: { name: none, roleAttributes: ofService }, deleted: ofService },
  servicePolicies: {
    fields: { name: none, type: all, semantic: all, identityRoles: all, serviceRoles: all, postureCheckRoles: all },
    created: 'none',
    deleted: all,
  },
  postureChecks: {
    fields: {
      ...{ name: none, roleAttributes: all, operatingSystems: all, domains: all, macAddresses: all, process: all },
      ...{ semantic: all, processes: all, timeoutSeconds: all, promptOnWake: all, promptOnUnlock: all },
      ignoreLegacyEndpoints: all,
    },
    created: 'all',
    deleted: none,
  },
  edgeRouters: {
    ...routes,
    fields: { name: none, cost: none, noTraversal: none, disabled: none, roleAttributes: none },
  },
  edgeRouterPolicies: { ...routes, fields: { semantic: none, identityRoles: none, edgeRouterRoles: none } },
  serviceEdgeRouterPolicies: { ...routes, fields: { semantic: none, serviceRoles: none, edgeRouterRoles: none } },
};

/**
 * Whether a write changes rights to services, and which sessions may lose theirs by it. `null`: it changes none, or only gives some
 * to somebody of whom no controller knows anything.
 */
export function rightsScopeOf(
  { name }: Entity,
  { previous, next }: { readonly previous: AnyState | null; readonly next: AnyState | null },
): RightsScope | null {
  const rule = rules[name];
  if (!rule) return null;
  if (!previous) return rule.created ?? null;
  if (!next) return rule.deleted?.(previous.id) ?? null;
  const scopes = Object.entries(rule.fields)
    .filter(([field]) => !isDeepStrictEqual(previous[field], next[field]))
    .map(([, scope]) => scope(next.id));
  return scopes.find((scope) => scope !== 'none') ?? scopes[0] ?? null;
}
