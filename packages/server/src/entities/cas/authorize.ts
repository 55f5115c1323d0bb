import { issuingCa } from '../../credentials/certificates/verify-under-cas.ts';
import { lacksRights } from '../../credentials/rights/higher-identities.ts';
import { readHigherSignIns } from '../../credentials/rights/higher-sign-ins.ts';
import type { ProposedChange } from '../../crud/define-entity.ts';
import { firstCertificateOf } from '../../pki/pem.ts';
import { inValues } from '../../storage/database/sql/select-values.ts';
import type { EntityState } from '../../storage/entity-store/state.ts';
import type { FieldsOf } from '../../storage/entity-store/tables.ts';
import type { Caller } from '../dependencies.ts';

type Ca = EntityState<FieldsOf<'cas'>>;

/** Whoever can change a CA can issue its certificates: for every external id, when it has a claim. */
export async function authorize(change: ProposedChange<Caller>, ca: Ca, next: Ca | null): Promise<void> {
  const { database, session } = change.unit.caller;
  const higher = await readHigherSignIns({ db: change.unit.tx, sql: database.sql }, session?.principal);
  const isClaiming = ca.externalIdClaim !== null || (next !== null && next.externalIdClaim !== null);
  const isNamed = higher.some(({ externalId, policy }) => externalId !== null && policy.primary.cert.allowed);
  const ids = higher.map(({ id }) => id);
  if ((isClaiming && isNamed) || (await isUsedBy(change, ca, ids))) {
    throw lacksRights('an identity with rights that you do not have can sign in or enroll with this CA');
  }
}

/** Whether the CA has issued the certificate of one of these identities, or one of them may enroll with it. */
async function isUsedBy(
  { unit: { tx, caller } }: ProposedChange<Caller>,
  ca: Ca,
  ids: readonly string[],
): Promise<boolean> {
  const owners = inValues(caller.database.sql, ids);
  const enrollment = await tx
    .selectFrom('enrollments')
    .select('id')
    .where('caId', '=', ca.id)
    .where('identityId', 'in', owners)
    .executeTakeFirst();
  if (enrollment !== undefined) return true;
  const authenticators = await tx
    .selectFrom('authenticators')
    .select('certPem')
    .where('identityId', 'in', owners)
    .where('isIssuedByNetwork', '=', 0)
    .execute();
  return authenticators.some(({ certPem }) => certPem && issuingCa(caller, firstCertificateOf(certPem), [ca]));
}
