import type { UnitOfWork } from '../../crud/unit-of-work.ts';
import { lockService } from '../../storage/entity-store/locks/lock-service.ts';
import { InstanceIdTaken } from './instance-id-taken.ts';

/** Who wants a name at a service. */
interface Claim {
  readonly serviceId: string;
  readonly instanceId: string;
  /** The identity that hosts. Empty: none does. */
  readonly hostId: string;
  /** Where none hosts, this one decides. `null`: there is none. */
  readonly secretHash: string | null;
}

/**
 * Makes sure that all terminators with an instance id of a service are of one host, before another one is added in the same
 * transaction. Those who add some at the same time wait for each other.
 *
 * @throws InstanceIdTaken
 */
export async function claimInstanceId({ tx, caller }: Pick<UnitOfWork, 'tx' | 'caller'>, claim: Claim): Promise<void> {
  const { serviceId, instanceId, hostId, secretHash } = claim;
  await lockService(caller.database, tx, serviceId);
  const siblings = await tx
    .selectFrom('terminators as t')
    .leftJoin('terminatorHosts as h', 'h.terminatorId', 't.id')
    .leftJoin('terminatorSecrets as s', 's.terminatorId', 't.id')
    .select(['t.id', 'h.hostId', 's.secretHash'])
    .where('t.identity', '=', instanceId)
    .where('t.serviceId', '=', serviceId)
    .execute();
  const isOfOther = (sibling: (typeof siblings)[number]) =>
    (sibling.hostId ?? '') !== hostId || (hostId === '' && sibling.secretHash !== secretHash);
  const holders = siblings.filter(isOfOther).map(({ id }) => id);
  if (holders.length > 0) throw new InstanceIdTaken(instanceId, holders);
}
