import type { QueryExecutorProvider } from 'kysely';
import { sql } from 'kysely';
import type { AuthPolicy } from './auth-policy.ts';

/**
 * Reads the names of the auth policies that accept the JWTs of every signer, while several signers are enabled. Each of these can
 * then sign in the identities that another one names by the same claim.
 */
export async function findOpenPolicies(db: QueryExecutorProvider): Promise<readonly string[]> {
  const { rows } = await sql<{ readonly name: string; readonly primary: string }>`
    select "name", "primary" from "authPolicies"
      where (select count(*) from "externalJwtSigners" where "enabled" = 1) > 1 order by "name"`.execute(db);
  return rows.flatMap(({ name, primary }) => (acceptsEverySigner(primary) ? [name] : []));
}

function acceptsEverySigner(primary: string): boolean {
  const { extJwt }: AuthPolicy['primary'] = JSON.parse(primary);
  return extJwt.allowed && extJwt.allowedSigners.length === 0;
}
