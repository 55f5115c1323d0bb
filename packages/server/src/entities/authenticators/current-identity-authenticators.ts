import type { clientApi, EntityData } from '@edge-controller/shared-types';
import { ApiError, invalidField, notFound } from '../../core/api-error.ts';
import { mapPage } from '../../core/filter/map-page.ts';
import { tooSoon, verifyPassword } from '../../credentials/passwords/password-attempts.ts';
import { findDelay } from '../../credentials/passwords/password-delays.ts';
import { findPassword } from '../../credentials/passwords/password-record.ts';
import { getEntity, listEntities } from '../../crud/read-entities.ts';
import { whereForeignKey } from '../../crud/relations.ts';
import type { Handlers, SessionCall } from '../dependencies.ts';
import { changeCredentials, readAuthenticator, wrongCurrentPassword } from './change-credentials.ts';

type OwnAuthenticators = Handlers<typeof clientApi>['currentIdentityAuthenticators'];

/** Handlers of `/current-identity/authenticators`. Authenticators of other identities are not found. */
export const currentIdentityAuthenticators: Omit<OwnAuthenticators, 'extend' | 'extendVerify'> = {
  async list(call, { query }) {
    const isOwn = whereForeignKey(call, 'authenticators', 'identityId', call.session.principal.id);
    const page = await listEntities(call, 'authenticators', query, { conditions: [isOwn] });
    return await mapPage(page, async (details) => details.map(asOwn));
  },

  async get(call, { params: { id } }) {
    const detail = await getEntity(call, 'authenticators', id);
    if (detail.identityId !== call.session.principal.id) throw notFound('authenticator', id);
    return asOwn(detail);
  },

  // As on the wire, PUT without tags keeps them. Then it changes what a PATCH changes.
  update: (call, { params, body }) => changeOwn(call, params.id, body.tags ? 'update' : 'patch', body),
  patch: (call, { params, body }) => changeOwn(call, params.id, 'patch', body),
};

function asOwn(detail: EntityData<'authenticators'>): EntityData<'authenticators'> {
  return { ...detail, _links: { self: { href: `./current-identity/authenticators/${detail.id}` } } };
}

interface OwnChange extends EntityData<'authenticators', 'patch'> {
  readonly currentPassword: string;
  readonly endOtherSessions?: boolean | null | undefined;
}

async function changeOwn(call: SessionCall, id: string, verb: 'update' | 'patch', change: OwnChange): Promise<void> {
  const { currentPassword, endOtherSessions, ...body } = change;
  checkMayChange(call, body);
  const authenticator = await readAuthenticator(call, id);
  const { id: identityId, policy } = call.session.principal;
  if (authenticator?.identityId !== identityId) throw notFound('authenticator', id);
  if (authenticator.method !== 'updb') throw new ApiError('CAN_NOT_UPDATE_AUTHENTICATOR');
  const { maxAttempts, lockoutDurationMinutes } = policy.primary.updb;
  const present = await findPassword(call.database.db, id);
  const passwordHash = present?.hash ?? null;
  const username = authenticator.username ?? '';
  const delay = await findDelay(call, username);
  const { verdict } = await verifyPassword(call, {
    username,
    delay,
    account: { authenticatorId: id, identityId, passwordHash, maxAttempts, lockoutDurationMinutes },
    password: currentPassword,
  });
  const isOvertaken = verdict === 'right' && (await findDelay(call, username)).wait > 0;
  if (verdict === 'too soon' || isOvertaken) throw tooSoon(delay);
  if (verdict !== 'right' || passwordHash === null) throw wrongCurrentPassword();
  if (present?.isSetByOther && body.password) checkIsOther(body.password, currentPassword);
  await changeCredentials(call, {
    ...{ id, identityId, verb, body, by: 'owner', proven: passwordHash },
    endOtherSessions: endOtherSessions === true,
  });
}

/** @throws 401 `UNAUTHORIZED` unless the session is full, or sets a new password and changes nothing else */
function checkMayChange(
  { session: { state } }: SessionCall,
  { username, password, tags }: EntityData<'authenticators', 'patch'>,
): void {
  if (state.authQueries.length > 0 && (!password || username || tags)) throw new ApiError('UNAUTHORIZED');
}

/** @throws 400 with field `password` when a password that somebody else has set would stay */
function checkIsOther(password: string, present: string): void {
  if (password.normalize('NFC') !== present.normalize('NFC')) return;
  throw invalidField('password', 'password should be another one than before');
}
