import type { QueryExecutorProvider, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import type { Settings } from '../../core/config/schema.ts';
import { inValues } from '../../storage/database/sql/select-values.ts';
import type { EntityStore } from '../../storage/entity-store/entity-store.ts';
import type { AuthPolicy } from '../sign-in-rules/auth-policy.ts';

/** An identity with rights that signs in with one factor. */
interface OneFactorIdentity {
  readonly id: string;
  readonly name: string;
}

/**
 * Reads the identities that have rights and sign in without a second factor: they have no verified TOTP, and neither their auth
 * policies nor the settings ask for one or for a JWT. Disabled ones are among them. Few identities have rights, so all of these
 * are read.
 */
export async function findWithoutSecondFactor(
  db: QueryExecutorProvider,
  { adminRequireSecondFactor }: Pick<Settings, 'adminRequireSecondFactor'>,
): Promise<readonly OneFactorIdentity[]> {
  if (adminRequireSecondFactor) return [];
  // The conditions are those of two indexes with few rows.
  const { rows } = await sql<OneFactorIdentity & { readonly secondary: string }>`
    with "holders" as materialized (
      select "id", "name", "authPolicyId" from "identities" where "isAdmin" = 1 or "isDefaultAdmin" = 1
      union select "id", "name", "authPolicyId" from "identities" where "permissions" is not null)
    select h."id", h."name", p."secondary" from "holders" h
      join "authPolicies" p on p."id" = h."authPolicyId"
      where not exists (select 1 from "mfas" m where m."identityId" = h."id" and m."isVerified" = 1)
      order by h."name", h."id"`.execute(db);
  return rows.flatMap(({ id, name, secondary }) => (asksForSecondFactor(secondary) ? [] : [{ id, name }]));
}

/** The condition on `t`, the row of a list of identities, that it is one of those, or none of them. */
export async function isWithoutSecondFactor(
  { lists, sql: dialect }: Pick<EntityStore, 'lists' | 'sql'>,
  settings: Pick<Settings, 'adminRequireSecondFactor'>,
  wanted: 'true' | 'false',
): Promise<RawBuilder<boolean>> {
  const found = await findWithoutSecondFactor(lists, settings);
  const ids = found.map(({ id }) => id);
  return sql<boolean>`(t."id" in ${inValues(dialect, ids)}) = ${sql.lit(wanted === 'true')}`;
}

function asksForSecondFactor(secondary: string): boolean {
  const { requireTotp, requireExtJwtSigner }: AuthPolicy['secondary'] = JSON.parse(secondary);
  return requireTotp || Boolean(requireExtJwtSigner);
}
