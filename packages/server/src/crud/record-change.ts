import type { EntityChange } from '../core/events/events.ts';
import type { AnyState, Entity } from './entity.ts';
import type { UnitOfWork } from './unit-of-work.ts';

interface Changed {
  readonly eventType: EntityChange['eventType'];
  readonly id: string;
  /** `null`: the entity is new. */
  readonly previous: AnyState | null;
  /** `null`: it is deleted. */
  readonly next: AnyState | null;
}

/** Records a change of an entity. Listeners of events and readers of the audit log do not learn its secrets. */
export function recordChange(unit: UnitOfWork, entity: Entity, { eventType, id, previous, next }: Changed): void {
  const secrets = new Set(entity.columns.flatMap(({ name, field }) => (field.secret ? [name] : [])));
  const shown = (state: AnyState | null) =>
    state && Object.fromEntries(Object.entries(state).filter(([name]) => !secrets.has(name)));
  unit.record({
    ...{ eventType, entityType: entity.contract.noun, entityId: id },
    ...{ initialState: shown(previous), finalState: shown(next) },
  });
}
