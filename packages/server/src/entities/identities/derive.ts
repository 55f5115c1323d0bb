import type { EntityData, EntityRef } from '@edge-controller/shared-types';
import { noToken, openEnrollmentTokens } from '../../credentials/enrollment-tokens/enrollment-token.ts';
import { identitiesWithMfa } from '../../credentials/mfas/mfa-record.ts';
import { findWithoutSecondFactor } from '../../credentials/mfas/without-second-factor.ts';
import { needsStepUp } from '../../credentials/rights/needs-step-up.ts';
import type { Rights } from '../../credentials/rights/rights.ts';
import { hasRights, maySeeSecretsOf, withActions } from '../../credentials/rights/rights.ts';
import { isDisabled } from '../../credentials/sign-in-rules/is-disabled.ts';
import { readRefs } from '../../crud/read-refs.ts';
import { inValues } from '../../storage/database/sql/select-values.ts';
import type { Derived, EntityState } from '../../storage/entity-store/state.ts';
import type { EntityRow, FieldsOf } from '../../storage/entity-store/tables.ts';
import type { Caller } from '../dependencies.ts';

type Identity = EntityState<FieldsOf<'identities'>>;
type Authenticator = EntityRow<FieldsOf<'authenticators'>>;
type Enrollment = EntityRow<FieldsOf<'enrollments'>>;

/** Reads what belongs to the identities of a page: the same number of queries, however many identities there are. */
export async function derive(
  caller: Caller,
  identities: readonly Identity[],
): Promise<Derived<FieldsOf<'identities'>>[]> {
  const { database, sessions, clock } = caller;
  const ids = identities.map(({ id }) => id);
  const owners = inValues(database.sql, ids);
  const [authenticators, enrollments, withMfa, withSession] = await Promise.all([
    database.db
      .selectFrom('authenticators')
      .select(['id', 'identityId', 'method', 'username', 'fingerprint'])
      .where('identityId', 'in', owners)
      .execute(),
    database.db.selectFrom('enrollments').selectAll().where('identityId', 'in', owners).execute(),
    identitiesWithMfa(database, ids),
    sessions.identitiesWithSessions(ids),
  ]);
  const credentials = Map.groupBy(authenticators, ({ identityId }) => identityId);
  const pending = Map.groupBy(enrollments, ({ identityId }) => identityId);
  const caIds = enrollments.flatMap(({ caId }) => (caId === null ? [] : [caId]));
  const [tokens, issuers] = await Promise.all([
    openEnrollmentTokens(
      caller,
      enrollments.map(({ id }) => id),
    ),
    readRefs(caller, 'cas', caIds),
  ]);
  const holders = identities.filter((identity) => !withMfa.has(identity.id) && hasRights(rightsOfIdentity(identity)));
  const lacking = holders.length === 0 ? [] : await findWithoutSecondFactor(database.db, caller.settings);
  const lackingIds = new Set(lacking.map(({ id }) => id));
  return identities.map((identity) => {
    return {
      type: identityTypeRef(identity.typeId),
      enrollment: shownEnrollments(pending.get(identity.id) ?? [], {
        ...{ tokens, issuers },
        areSecretsShown: areSecretsShown(caller, identity),
      }),
      authenticators: shownAuthenticators(credentials.get(identity.id) ?? []),
      disabled: isDisabled(identity, clock()),
      isMfaEnabled: withMfa.has(identity.id),
      lacksSecondFactor: lackingIds.has(identity.id),
      hasApiSession: withSession.has(identity.id),
      hasEdgeRouterConnection: caller.routerNetwork.hasApplication(identity.id),
      edgeRouterConnectionStatus: caller.routerNetwork.hasApplication(identity.id) ? 'online' : 'offline',
      interfaces: null,
    };
  });
}

function areSecretsShown(caller: Caller, identity: Identity): boolean {
  const { session } = caller;
  const owner = { id: identity.id, ...rightsOfIdentity(identity) };
  return !session || (maySeeSecretsOf(session.principal, owner) && !needsStepUp(caller, owner));
}

function rightsOfIdentity({ isAdmin, isDefaultAdmin, permissions }: Identity): Rights {
  return { isAdmin: isAdmin || isDefaultAdmin, permissions: withActions(permissions ?? []) };
}

/** The id of an identity type is also its name. */
function identityTypeRef(id: string): EntityData<'identities'>['type'] {
  return { _links: { self: { href: `./identity-types/${id}` } }, entity: 'identity-types', id, name: id };
}

function shownAuthenticators(
  rows: readonly Pick<Authenticator, 'id' | 'method' | 'username' | 'fingerprint'>[],
): EntityData<'identities'>['authenticators'] {
  const [cert, updb] = ['cert', 'updb'].map((method) => rows.find((row) => row.method === method));
  return {
    ...(cert && { cert: { id: cert.id, fingerprint: cert.fingerprint ?? '' } }),
    ...(updb && { updb: { id: updb.id, username: updb.username ?? '' } }),
  };
}

interface Pending {
  readonly tokens: Awaited<ReturnType<typeof openEnrollmentTokens>>;
  /** The CAs of enrollments of method `ottca`. */
  readonly issuers: ReadonlyMap<string, EntityRef>;
  readonly areSecretsShown: boolean;
}

function shownEnrollments(
  rows: readonly Enrollment[],
  { tokens, issuers, areSecretsShown }: Pending,
): EntityData<'identities'>['enrollment'] {
  return Object.fromEntries(
    rows.flatMap(({ id, method, expiresAt, caId }) => {
      const secrets = tokens.get(id);
      if (!secrets) return [];
      const shown = { id, ...(areSecretsShown ? secrets : noToken), expiresAt };
      if (caId === null) return [[method, shown]];
      const ca = issuers.get(caId);
      // The enrollments of a CA are deleted with it.
      return ca ? [[method, { ...shown, caId, ca }]] : [];
    }),
  );
}
