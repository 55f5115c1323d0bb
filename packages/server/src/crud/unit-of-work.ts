import type { Transaction } from 'kysely';
import type { ControllerEvent, ControllerEvents, EntityChange, EventName } from '../core/events/events.ts';
import type { Tables } from '../storage/entity-store/entity-store.ts';
import type { Effect } from '../storage/revocation/effect.ts';
import type { Caller } from './dependencies.ts';
import { Postponed } from './postponed.ts';

/** Changes of entities that are committed together or not at all. */
export interface UnitOfWork<C extends Caller = Caller> {
  readonly caller: C;
  readonly tx: Transaction<Tables>;
  /** Records a change. Its event is emitted after the commit. */
  readonly record: (change: Omit<EntityChange, 'by'>) => void;
  /** Emits an event after the commit. Its entry in the audit log is part of the transaction. */
  readonly emit: <N extends EventName>(name: N, payload: ControllerEvents[N]) => void;
  /** Stores what the session store must do after the commit. */
  readonly affect: (effect: Effect) => Promise<void>;
}

interface Options {
  /** The controller makes the changes by itself, during a request. `by` of their events is `null`. */
  readonly isOwn?: true;
  /** Gets the error when the session store cannot be reached. Without it, the error is thrown. */
  readonly onUndrained?: (error: unknown) => void;
}

/** Each time, something else has changed meanwhile. */
const maxPostponed = 10;

/**
 * Runs `work` in one transaction. When a hook postpones the change, `work` runs again. After the commit it emits the events, one
 * for each change, and applies the effects on the session store. When the session store cannot be reached, the
 * changes are committed and the outbox tries again.
 */
export async function inUnitOfWork<T, C extends Caller>(
  caller: C,
  work: (unit: UnitOfWork<C>) => Promise<T>,
  options: Options = {},
): Promise<T> {
  for (let postponed = 0; ; postponed += 1) {
    try {
      return await runUnitOfWork(caller, work, options);
    } catch (error) {
      if (!(error instanceof Postponed) || postponed === maxPostponed) throw error;
      await error.work();
    }
  }
}

async function runUnitOfWork<T, C extends Caller>(
  caller: C,
  work: (unit: UnitOfWork<C>) => Promise<T>,
  { isOwn, onUndrained }: Options,
): Promise<T> {
  const events: ControllerEvent[] = [];
  let hasEffects = false;
  const emit: UnitOfWork['emit'] = (name, payload) => void events.push({ name, payload } as ControllerEvent);
  const by = isOwn ? null : (caller.session?.principal.id ?? null);
  const actor = isOwn ? { clientAddress: caller.clientAddress, requestId: caller.requestId } : caller;
  const result = await caller.database.transaction(async (tx) => {
    const done = await work({
      caller,
      tx,
      record: (change) => emit(`entity.${change.eventType}`, { ...change, by }),
      emit,
      affect: async (effect) => {
        hasEffects = true;
        const revoked = revokedBy(effect);
        if (revoked) emit('apiSessions.revoked', revoked);
        await caller.outbox.add(tx, effect);
      },
    });
    await caller.audit.append(tx, actor, events);
    return done;
  });
  for (const { name, payload } of events) caller.events.emit(name, payload);
  if (hasEffects) await (onUndrained ? caller.outbox.drain().catch(onUndrained) : caller.outbox.drain());
  return result;
}

function revokedBy(effect: Effect): ControllerEvents['apiSessions.revoked'] | null {
  if (effect.kind === 'endSessions') return { of: 'identity', id: effect.identityId, ...effect.which };
  if (effect.kind === 'endCaSessions') return { of: 'ca', id: effect.caId };
  return effect.kind === 'endSignerSessions' ? { of: 'externalJwtSigner', id: effect.signerId } : null;
}
