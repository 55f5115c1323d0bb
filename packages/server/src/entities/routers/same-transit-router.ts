import { ApiError } from '../../core/api-error.ts';
import type { ProposedChange } from '../../crud/define-entity.ts';
import { save } from '../../crud/save.ts';
import type { UnitOfWork } from '../../crud/unit-of-work.ts';
import type { EntityState } from '../../storage/entity-store/state.ts';
import type { FieldsOf } from '../../storage/entity-store/tables.ts';

type EdgeRouter = EntityState<FieldsOf<'edgeRouters'>>;

// An edge router is also a transit router: circuits pass it, and terminators name it. So it has a row with the same id in the
// table of transit routers. Only these functions write this row.

export async function keepTransitRouter(
  change: ProposedChange,
  next: EdgeRouter,
  previous: EdgeRouter | null,
): Promise<void> {
  await save(change, change.unit.caller.definitions.transitRouters, next, previous);
}

/** Its terminators disappear with it. */
export async function removeTransitRouter({ tx }: UnitOfWork, id: string): Promise<void> {
  await tx.deleteFrom('transitRouters').where('id', '=', id).execute();
}

/** @throws 409 `CAN_NOT_UPDATE_ROUTER` when the transit router is an edge router */
export async function refuseEdgeRouter({ tx }: UnitOfWork, id: string): Promise<void> {
  const edgeRouter = await tx.selectFrom('edgeRouters').select('id').where('id', '=', id).executeTakeFirst();
  if (edgeRouter) throw new ApiError('CAN_NOT_UPDATE_ROUTER');
}
