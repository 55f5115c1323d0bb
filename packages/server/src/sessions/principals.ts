import { isDisabled } from '../entities/identities/disabled.ts';
import type { Clock } from '../lib/clock.ts';
import type { EntityStore } from '../stores/entity-store.ts';

/** What a request needs to know of the identity behind its API session. */
export interface Principal {
  readonly id: string;
  readonly name: string;
  readonly isAdmin: boolean;
  readonly authPolicyId: string;
}

/** Identities by id, read from the entity store once per version and kept in this process until the version moves. */
export interface Principals {
  /** `null` when the identity does not exist or is disabled. */
  get(identityId: string, version: string): Promise<Principal | null>;
}

interface Known extends Principal {
  readonly disabledAt: string | null;
  readonly disabledUntil: string | null;
}

const maxKnown = 250_000;

export function createPrincipals({ entities, clock }: { entities: EntityStore; clock: Clock }): Principals {
  let version = '';
  let known = new Map<string, Promise<Known | null>>();

  const load = async (id: string): Promise<Known | null> => {
    const row = await entities.db
      .selectFrom('identities')
      .select(['id', 'name', 'isAdmin', 'isDefaultAdmin', 'authPolicyId', 'disabledAt', 'disabledUntil'])
      .where('id', '=', id)
      .executeTakeFirst();
    if (!row) return null;
    return { ...row, isAdmin: row.isAdmin === 1 || row.isDefaultAdmin === 1 };
  };

  return {
    async get(identityId, current) {
      if (current !== version) {
        version = current;
        known = new Map();
      }
      const generation = known;
      let loading = generation.get(identityId);
      if (!loading) {
        const oldest = generation.size >= maxKnown ? generation.keys().next().value : undefined;
        if (oldest !== undefined) generation.delete(oldest);
        loading = load(identityId);
        generation.set(identityId, loading);
        loading.catch(() => generation.delete(identityId));
      }
      const found = await loading;
      return found && !isDisabled(found, clock()) ? found : null;
    },
  };
}
