import type { ProposedChange } from './define-entity.ts';
import type { AnyState, Entity } from './entity.ts';

/** An entity before and after a change. `null`: there is none. */
interface Step {
  readonly previous: AnyState | null;
  readonly next: AnyState | null;
}

/** Asks the entity whether the caller may make a change. Administrators and the controller itself may make every change. */
export async function authorize(
  change: ProposedChange,
  { definition }: Entity,
  { previous, next }: Step,
): Promise<void> {
  const { session } = change.unit.caller;
  if (!session || session.principal.isAdmin) return;
  await definition.authorize?.(change as never, (previous ?? next) as AnyState, next);
}
