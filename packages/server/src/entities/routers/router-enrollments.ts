import { shortId } from '../../core/secrets/ids.ts';
import { isoTime } from '../../core/time/clock.ts';
import { openEnrollmentTokens } from '../../credentials/enrollment-tokens/enrollment-token.ts';
import { maySeeSecretsOfRouters } from '../../credentials/rights/rights.ts';
import type { UnitOfWork } from '../../crud/unit-of-work.ts';
import { createEntity } from '../../crud/write.ts';
import { inValues } from '../../storage/database/sql/select-values.ts';
import type { Derived } from '../../storage/entity-store/state.ts';
import type { FieldsOf } from '../../storage/entity-store/tables.ts';
import type { Caller } from '../dependencies.ts';

type RouterId = { readonly edgeRouterId: string } | { readonly transitRouterId: string };
type Shown = Pick<
  Derived<FieldsOf<'transitRouters'>>,
  'enrollmentToken' | 'enrollmentJwt' | 'enrollmentCreatedAt' | 'enrollmentExpiresAt'
>;

/** Creates the enrollment with which a router gets its certificates. */
export async function addRouterEnrollment(unit: UnitOfWork<Caller>, router: RouterId): Promise<void> {
  const { clock, settings } = unit.caller;
  const method = 'edgeRouterId' in router ? 'erott' : 'trott';
  const duration = Math.min(settings.routerEnrollmentDuration, settings.enrollmentMaxDuration);
  const expiresAt = isoTime(clock() + duration);
  await createEntity(unit, 'enrollments', { method, expiresAt }, { id: shortId(), fields: router });
}

/**
 * Reads what routers show of their enrollments, by the id of the router. A router that has enrolled has none. Who could not make
 * an enrollment sees none.
 */
export async function readRouterEnrollments(
  dependencies: Caller,
  column: 'edgeRouterId' | 'transitRouterId',
  routers: readonly { readonly id: string; readonly isVerified: boolean }[],
): Promise<ReadonlyMap<string, Shown>> {
  const { session } = dependencies;
  if (session && !maySeeSecretsOfRouters(session.principal)) return new Map();
  const ids = routers.flatMap(({ id, isVerified }) => (isVerified ? [] : [id]));
  if (ids.length === 0) return new Map();
  const enrollments = await dependencies.database.db
    .selectFrom('enrollments')
    .select(['id', column, 'createdAt', 'expiresAt'])
    .where(column, 'in', inValues(dependencies.database.sql, ids))
    .execute();
  const tokens = await openEnrollmentTokens(
    dependencies,
    enrollments.map(({ id }) => id),
  );
  const shown = enrollments.flatMap((enrollment): [string, Shown][] => {
    const secrets = tokens.get(enrollment.id);
    if (!secrets) return [];
    const { createdAt: enrollmentCreatedAt, expiresAt: enrollmentExpiresAt } = enrollment;
    const { token: enrollmentToken, jwt: enrollmentJwt } = secrets;
    const id = String(enrollment[column]);
    return [[id, { enrollmentToken, enrollmentJwt, enrollmentCreatedAt, enrollmentExpiresAt }]];
  });
  return new Map(shown);
}
