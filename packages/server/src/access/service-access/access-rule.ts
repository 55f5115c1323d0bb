import { isDeepStrictEqual } from 'node:util';
import type { AccessRule, Write } from '../../crud/define-entity.ts';
import type { AccessEffect } from '../../crud/entity.ts';
import type { RightsScope } from '../../storage/revocation/effect.ts';

/** How writes of an entity change who may use which services, and what services show. */
interface Rule {
  /** Which sessions of services may lose their right when a field with the effect `rights` changes. Default: any. */
  readonly losing?: (id: string) => RightsScope;
  /** The same when one is created. Default: nobody has asked for it yet, so no controller keeps anything of it. */
  readonly created?: RightsScope;
  /** The same when one is deleted. Default: what belongs to it ends in another way. */
  readonly deleted?: (id: string) => RightsScope;
  /** Services show all of it, its times and tags too. */
  readonly isShownWhole?: true;
  /** Creating one changes nothing: no service has it yet, or, for an identity, nobody has asked for its services yet. */
  readonly isUsedLater?: true;
  /** Runs a write that changes services, and marks whose. Default: no service shows anything of the entity. */
  readonly marking?: AccessRule;
}

/** Makes the `access` of a definition: marks whose services a write changes, and ends the sessions whose right is lost. */
export function accessRule(rule: Rule): AccessRule {
  return async (write, run) => {
    const effects = effectsOf(write);
    if (rule.marking && changesServices(rule, write, effects)) await rule.marking(write, run);
    else await run();
    const scope = scopeOf(rule, write, effects);
    if (scope !== null) await write.unit.affect({ kind: 'rights', scope });
  };
}

type Effects = ReadonlySet<AccessEffect | undefined>;

/** The effects of the fields that a write changes. */
function effectsOf({ entity: { options }, previous, next }: Write): Effects {
  const changed = Object.keys(options).filter((name) => !isDeepStrictEqual(previous?.[name], next?.[name]));
  return new Set(changed.map((name) => options[name]?.access));
}

function changesServices({ isShownWhole, isUsedLater }: Rule, { previous, next }: Write, effects: Effects): boolean {
  if (!previous) return !isUsedLater;
  return !next || isShownWhole === true || effects.has('shown') || effects.has('rights');
}

/** Which sessions may lose their right. `null`: no controller has to read anything again. */
function scopeOf({ losing, created, deleted }: Rule, { previous, next }: Write, effects: Effects): RightsScope | null {
  if (!previous) return created ?? null;
  if (!next) return deleted?.(previous.id) ?? null;
  if (effects.has('rights')) return losing?.(next.id) ?? 'all';
  return effects.has('cached') ? 'none' : null;
}
