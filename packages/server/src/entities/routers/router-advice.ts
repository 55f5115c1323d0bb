import type { PolicyAdvice } from '@edge-controller/shared-types';
import type { Dependencies } from '../../crud/dependencies.ts';
import { readRefs } from '../../crud/read-refs.ts';
import type { RouterNetwork } from '../../network/router-connections/router-network.ts';
import { readRouterIds } from './usable-routers.ts';

/** What the policies of edge routers say about an identity and a service. */
interface RouterAdvice {
  /** How many edge routers the identity may use. */
  readonly identityRouterCount: number;
  /** Through how many edge routers the service can be reached. */
  readonly serviceRouterCount: number;
  /** Those that are both, by their names. `null`: none. */
  readonly commonRouters: PolicyAdvice['commonRouters'];
}

/** Reads which edge routers an identity and a service have in common. An unknown one has none. */
export async function readRouterAdvice(
  dependencies: Dependencies & { readonly routerNetwork: RouterNetwork },
  { identityId, serviceId }: { readonly identityId: string; readonly serviceId: string },
): Promise<RouterAdvice> {
  const { ofIdentity, ofService } = await readRouterIds(dependencies, { identityId, serviceId });
  await dependencies.routerNetwork.refresh();
  const reaching = new Set(ofService);
  const refs = await readRefs(
    dependencies,
    'edgeRouters',
    ofIdentity.filter((id) => reaching.has(id)),
  );
  const common = [...refs.values()]
    .toSorted(({ name: one = '' }, { name: other = '' }) => (one < other ? -1 : 1))
    .map((ref) => ({ ...ref, isOnline: dependencies.routerNetwork.connectionOf(ref.id).isOnline }));
  return {
    identityRouterCount: ofIdentity.length,
    serviceRouterCount: ofService.length,
    commonRouters: common.length === 0 ? null : common,
  };
}
