import type { AuthPolicy } from '../lib/auth-policy.ts';
import { policyColumns, readAuthPolicy } from '../lib/auth-policy.ts';
import type { Clock } from '../lib/clock.ts';
import { isDisabled } from '../lib/is-disabled.ts';
import { verifiedMfaId } from '../mfas/mfa-record.ts';
import type { EntityStore } from '../stores/entity-store.ts';
import { inValues } from '../stores/sql/select-values.ts';

/** The data that a request needs about the identity of its API session. */
export interface Principal {
  readonly id: string;
  readonly name: string;
  readonly isAdmin: boolean;
  readonly authPolicyId: string;
  readonly policy: AuthPolicy;
  /** Id of its verified TOTP. `null`: it has none. */
  readonly mfaId: string | null;
}

/** Caches identities in this process until the version of the entities changes. */
export interface Principals {
  /** Returns `null` when the identity does not exist or is disabled. */
  get(identityId: string, version: string): Promise<Principal | null>;
}

interface LoadedPrincipal extends Principal {
  readonly disabledAt: string | null;
  readonly disabledUntil: string | null;
}

const maxCached = 250_000;

export function createPrincipals({ entities, clock }: { entities: EntityStore; clock: Clock }): Principals {
  let version = '';
  let cache = new Map<string, Promise<LoadedPrincipal | null>>();
  /** Identities with the same policy share one object. */
  let policies = new Map<string, AuthPolicy>();

  const load = async (id: string): Promise<LoadedPrincipal | null> => {
    const shared = policies;
    const found = (await loadPrincipals(entities, [id])).get(id);
    if (!found) return null;
    const policy = shared.get(found.authPolicyId) ?? found.policy;
    shared.set(found.authPolicyId, policy);
    return { ...found, policy };
  };

  return {
    async get(identityId, current) {
      if (current !== version) {
        version = current;
        cache = new Map();
        policies = new Map();
      }
      const generation = cache;
      let loading = generation.get(identityId);
      if (!loading) {
        const oldest = generation.size >= maxCached ? generation.keys().next().value : undefined;
        if (oldest !== undefined) generation.delete(oldest);
        loading = load(identityId);
        generation.set(identityId, loading);
        loading.catch(() => generation.delete(identityId));
      }
      const found = await loading;
      if (found === null || found.disabledAt === null) return found;
      return isDisabled(found, clock()) ? null : found;
    },
  };
}

/** Reads identities, disabled ones too, with their policies and verified TOTPs. Returns them by id. */
export async function loadPrincipals(
  { db, sql }: Pick<EntityStore, 'db' | 'sql'>,
  ids: readonly string[],
): Promise<ReadonlyMap<string, LoadedPrincipal>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('identities')
    .innerJoin('authPolicies', 'authPolicies.id', 'identities.authPolicyId')
    .select([
      'identities.id',
      'identities.name',
      'identities.isAdmin',
      'identities.isDefaultAdmin',
      'identities.authPolicyId',
      'identities.disabledAt',
      'identities.disabledUntil',
      verifiedMfaId.as('mfaId'),
    ])
    .select(policyColumns)
    .where('identities.id', 'in', inValues(sql, [...new Set(ids)]))
    .execute();
  return new Map(
    rows.map((row) => [
      row.id,
      {
        id: row.id,
        name: row.name,
        isAdmin: row.isAdmin === 1 || row.isDefaultAdmin === 1,
        authPolicyId: row.authPolicyId,
        policy: readAuthPolicy(row),
        mfaId: row.mfaId,
        disabledAt: row.disabledAt,
        disabledUntil: row.disabledUntil,
      },
    ]),
  );
}
