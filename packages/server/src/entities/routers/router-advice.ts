import type { EntityRef } from '@edge-controller/shared-types';
import type { RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { readRefs } from '../../crud/read-refs.ts';
import type { Services } from '../../crud/services.ts';
import { routersOfIdentity, routersOfService } from './usable-routers.ts';

/** What the policies of edge routers say about an identity and a service. */
interface RouterAdvice {
  /** How many edge routers the identity may use. */
  readonly identityRouterCount: number;
  /** Through how many edge routers the service can be reached. */
  readonly serviceRouterCount: number;
  /** Those that are both, by their names. `null`: none. */
  readonly commonRouters: readonly (EntityRef & { readonly isOnline: boolean })[] | null;
}

/** Reads which edge routers an identity and a service have in common. An unknown one has none. */
export async function readRouterAdvice(
  services: Services,
  { identityId, serviceId }: { readonly identityId: string; readonly serviceId: string },
): Promise<RouterAdvice> {
  const [ofIdentity, ofService] = await Promise.all([
    readIds(services, await routersOfIdentity(services, identityId)),
    readIds(services, await routersOfService(services, serviceId)),
  ]);
  const reaching = new Set(ofService);
  const common = ofIdentity.filter((id) => reaching.has(id));
  const refs = await readRefs(services, 'edgeRouters', common);
  // No router can connect yet.
  const commonRouters = common.flatMap((id) => refs.get(id) ?? []).map((ref) => ({ ...ref, isOnline: false }));
  return {
    identityRouterCount: ofIdentity.length,
    serviceRouterCount: ofService.length,
    commonRouters: commonRouters.length === 0 ? null : commonRouters,
  };
}

async function readIds({ entities }: Services, conditions: readonly RawBuilder<boolean>[]): Promise<string[]> {
  const where = sql.join([sql`1 = 1`, ...conditions], sql` and `);
  const { rows } = await sql<{ id: string }>`select t."id" from ${sql.table('edgeRouters')} as t where ${where}
    order by t."name"`.execute(entities.lists);
  return rows.map(({ id }) => id);
}
