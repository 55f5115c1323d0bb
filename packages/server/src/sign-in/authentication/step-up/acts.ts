import { findMfa } from '../../../credentials/mfas/mfa-record.ts';
import type { SessionCall } from '../dependencies.ts';
import { changeOfIdentity } from './change-of-identity.ts';
import type { ActInput, Concern } from './concern.ts';

type Act = (call: SessionCall, input: ActInput) => Concern | Promise<Concern>;

const administration: Act = () => ({ isAdministration: true });
const ofIdentity: Act = (_call, { params }) => ({ owner: params?.id ?? null });
const ofNamedIdentity: Act = (_call, { body }) => ({ owner: String(body?.identityId ?? '') });
const ofAuthenticator: Act = async (call, { params }) => ({ owner: await ownerOf(call, 'authenticators', params?.id) });
const ofEnrollment: Act = async (call, { params }) => ({ owner: await ownerOf(call, 'enrollments', params?.id) });

/**
 * The operations after which somebody can sign in as an identity, or its owner no longer can. Those that check a password, a
 * code or a certificate of the request themselves are not here.
 */
export const acts: Readonly<Record<string, Act>> = {
  'authenticators.create': ofNamedIdentity,
  'authenticators.update': ofAuthenticator,
  'authenticators.patch': ofAuthenticator,
  'authenticators.delete': ofAuthenticator,
  'authenticators.reEnroll': ofAuthenticator,
  'authenticators.requestExtend': ofAuthenticator,
  'enrollments.create': ofNamedIdentity,
  'enrollments.refresh': ofEnrollment,
  'enrollments.delete': ofEnrollment,
  'identities.create': (_call, { body }) => ({ isAdministration: givesRights(body) }),
  'identities.update': (call, input) => changeOfIdentity(call, 'update', input),
  'identities.patch': (call, input) => changeOfIdentity(call, 'patch', input),
  'identities.delete': ofIdentity,
  'identities.removeMfa': ofIdentity,
  'currentIdentityMfa.create': ({ session }) => ({ owner: session.principal.id }),
  'currentIdentityMfa.verify': async (call) => ({
    owner: (await hasBegunLately(call)) ? null : call.session.principal.id,
  }),
  'authPolicies.update': administration,
  'authPolicies.patch': administration,
  'cas.create': administration,
  'cas.update': administration,
  'cas.patch': administration,
  'cas.verify': administration,
  'externalJwtSigners.create': administration,
  'externalJwtSigners.update': administration,
  'externalJwtSigners.patch': administration,
};

async function ownerOf(
  { database }: SessionCall,
  table: 'authenticators' | 'enrollments',
  id = '',
): Promise<string | null> {
  const row = await database.db.selectFrom(table).select('identityId').where('id', '=', id).executeTakeFirst();
  return row?.identityId ?? null;
}

function givesRights({ isAdmin, permissions }: Readonly<Record<string, unknown>> = {}): boolean {
  return isAdmin === true || (Array.isArray(permissions) && permissions.length > 0);
}

/** Who has just begun an enrollment has proven it then. People need some time until the app shows a code. */
async function hasBegunLately({ clock, database, session, settings }: SessionCall): Promise<boolean> {
  const mfa = await findMfa(database.db, session.principal.id);
  if (mfa?.sessionId !== session.stored.id) return false;
  return Math.abs(clock() - Date.parse(mfa.createdAt)) <= settings.stepUpMaxAge;
}
