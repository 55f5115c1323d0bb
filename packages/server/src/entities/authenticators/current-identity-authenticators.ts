import type { AuthenticatorDetail, clientApi } from '@edge-controller/shared-types';
import { ApiError, notFound } from '../../api-error.ts';
import type { Handlers, SessionCall } from '../../call.ts';
import { mapPage } from '../../stores/map-page.ts';
import { authenticatorDetails, listAuthenticatorsOf } from '../authenticator-details.ts';
import { patchedTagsColumn, readRow, tagsColumn } from '../define-entity.ts';
import { verifyPassword } from '../password-attempts.ts';
import type { CredentialChange } from './change-credentials.ts';
import { changeCredentials, wrongCurrentPassword } from './change-credentials.ts';

/** Handlers of `/current-identity/authenticators`. Authenticators of other identities are not found. */
export const currentIdentityAuthenticators: Handlers<typeof clientApi>['currentIdentityAuthenticators'] = {
  async list(call, { query }) {
    const page = await listAuthenticatorsOf(call, call.session.principal.id, query);
    return await mapPage(page, async (details) => details.map(asOwn));
  },

  async get(call, { params: { id } }) {
    const [detail] = await authenticatorDetails(call, [await requireOwn(call, id)]);
    if (!detail) throw notFound('authenticator', id);
    return asOwn(detail);
  },

  async update(call, { params: { id }, body }) {
    await changeOwn(call, id, body, tagsColumn(body) ?? '{}');
  },

  async patch(call, { params: { id }, body }) {
    await changeOwn(call, id, body, patchedTagsColumn(body));
  },
};

function asOwn(detail: AuthenticatorDetail): AuthenticatorDetail {
  return { ...detail, _links: { self: { href: `./current-identity/authenticators/${detail.id}` } } };
}

async function requireOwn({ entities, session }: SessionCall, id: string): Promise<CredentialChange['row']> {
  const row = await readRow(entities.db, 'authenticators', id);
  if (row?.identityId !== session.principal.id) throw notFound('authenticator', id);
  return row;
}

interface RequestedChange {
  readonly username?: string | null | undefined;
  readonly password?: string | null | undefined;
  readonly currentPassword: string;
  readonly endOtherSessions?: boolean | null | undefined;
}

async function changeOwn(call: SessionCall, id: string, change: RequestedChange, tags: string | null): Promise<void> {
  const row = await requireOwn(call, id);
  if (row.method !== 'updb') throw new ApiError('CAN_NOT_UPDATE_AUTHENTICATOR');
  const { maxAttempts, lockoutDurationMinutes } = call.session.principal.policy.primary.updb;
  const { identityId, passwordHash } = row;
  const candidate = { authenticatorId: id, identityId, passwordHash, maxAttempts, lockoutDurationMinutes };
  if ((await verifyPassword(call, candidate, change.currentPassword)) !== 'right') throw wrongCurrentPassword();
  const { username, password } = change;
  const endOtherSessions = change.endOtherSessions === true;
  await changeCredentials(call, { row, username, password, tags, by: 'owner', endOtherSessions });
}
