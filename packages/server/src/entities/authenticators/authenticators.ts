import type { AuthenticatorCreate, AuthenticatorDetail, managementApi } from '@edge-controller/shared-types';
import { ApiError, invalidField, notFound } from '../../api-error.ts';
import type { Handlers, SessionCall } from '../../call.ts';
import type { Tables } from '../../stores/entity-store.ts';
import { addPassword, refuseSecondPassword } from '../add-password.ts';
import { authenticatorDetails, authenticatorFields } from '../authenticator-details.ts';
import { lockRow, patchedTagsColumn, readableEntity, readRow, tagsColumn } from '../define-entity.ts';
import { hashNewPassword } from '../new-password.ts';
import { changeCredentials, usernameTaken } from './change-credentials.ts';

const minUsernameLength = 4;

/**
 * Handlers of `/authenticators`. They do not use `defineEntity`, because a password is hashed before the transaction,
 * and the identity is locked before its authenticator.
 */
export const authenticators: Handlers<typeof managementApi>['authenticators'] = {
  ...readableEntity<'authenticators', AuthenticatorDetail>({
    table: 'authenticators',
    noun: 'authenticator',
    fields: authenticatorFields,
    details: authenticatorDetails,
  }),

  async create(call, { body }) {
    const tags = tagsColumn(body) ?? '{}';
    const { identityId } = body;
    const credentials = requireCredentials(body);
    const { db } = call.entities;
    // The transaction checks both again. Here they come first, because the API reports these errors before a bad
    // password.
    await refuseSecondPassword(db, identityId);
    if (!(await readRow(db, 'identities', identityId))) throw notFound('identity', identityId);
    const account = { identityId, ...credentials, tags };
    const passwordHash = await hashNewPassword(call, account);
    const id = await call.entities
      .transaction(async (tx) => {
        await lockRow({ call, tx }, 'identities', 'identity', identityId);
        return await addPassword({ call, tx }, { ...account, passwordHash });
      })
      .catch((error: unknown) => {
        const isTaken = call.entities.violatedUnique(error) === 'username';
        throw isTaken ? usernameTaken('updbUsername', account.username) : error;
      });
    return { id };
  },

  async update(call, { params, body }) {
    await change(call, params.id, body, tagsColumn(body) ?? '{}');
  },

  async patch(call, { params, body }) {
    await change(call, params.id, body, patchedTagsColumn(body));
  },

  async delete(call, { params: { id } }) {
    const { identityId } = await requireAuthenticator(call, id);
    await call.entities.transaction(async (tx) => {
      await lockRow({ call, tx }, 'identities', 'identity', identityId);
      const { numDeletedRows } = await tx.deleteFrom('authenticators').where('id', '=', id).executeTakeFirst();
      if (numDeletedRows !== 1n) throw notFound('authenticator', id);
      await call.outbox.add(tx, { kind: 'endSessions', identityId, which: { authenticatorId: id } });
    });
    await call.outbox.drain();
  },
};

interface Credentials {
  readonly username?: string | null | undefined;
  readonly password?: string | null | undefined;
}

/** For an authenticator without a password the request succeeds and changes only the tags, as in the API. */
async function change(call: SessionCall, id: string, body: Credentials, tags: string | null): Promise<void> {
  const row = await requireAuthenticator(call, id);
  const { username, password } = row.method === 'updb' ? body : {};
  const endOtherSessions = Boolean(password);
  await changeCredentials(call, { row, username, password, tags, by: 'administrator', endOtherSessions });
}

async function requireAuthenticator({ entities }: SessionCall, id: string): Promise<Tables['authenticators']> {
  const row = await readRow(entities.db, 'authenticators', id);
  if (!row) throw notFound('authenticator', id);
  return row;
}

/** The order of the checks is that of the API. */
function requireCredentials({ method, username, password, certPem }: AuthenticatorCreate) {
  if (method === 'cert') {
    if (!certPem) throw invalidField('certPem', 'certPem is required');
    const reason = 'authenticators of this method cannot be created on this controller';
    throw new ApiError('NOT_IMPLEMENTED', { cause: { field: 'method', reason, value: method } });
  }
  if (method !== 'updb') throw invalidField('method', 'method must be updb or cert', method);
  if (!username) throw invalidField('username', 'username is required');
  if (!password) throw invalidField('password', 'password is required');
  // The API refuses a sign-in with a shorter user name.
  if (username.length < minUsernameLength) {
    throw invalidField('username', `username in body should be at least ${minUsernameLength} chars long`, username);
  }
  return { username, password };
}
