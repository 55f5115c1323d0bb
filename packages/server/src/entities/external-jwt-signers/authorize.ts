import { lacksRights } from '../../credentials/rights/higher-identities.ts';
import { readHigherSignIns } from '../../credentials/rights/higher-sign-ins.ts';
import { allowsSigner } from '../../credentials/sign-in-rules/auth-policy.ts';
import type { ProposedChange } from '../../crud/define-entity.ts';
import type { Caller } from '../dependencies.ts';

/**
 * Whoever can change a signer can sign JWTs in its name, for every identity whose policy accepts them. A policy without a list
 * accepts all signers, also one that is created now. A disabled signer can be enabled later.
 */
export async function authorize({ unit }: ProposedChange<Caller>, { id }: { readonly id: string }): Promise<void> {
  const { database, session } = unit.caller;
  const higher = await readHigherSignIns({ db: unit.tx, sql: database.sql }, session?.principal);
  const isConcerned = higher.some(
    ({ policy: { primary, secondary } }) => allowsSigner(primary.extJwt, id) || secondary.requireExtJwtSigner === id,
  );
  if (isConcerned) throw lacksRights('an identity with rights that you do not have can sign in with this signer');
}
