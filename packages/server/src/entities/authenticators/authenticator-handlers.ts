import type { AuthenticatorCreate, managementApi } from '@edge-controller/shared-types';
import { ApiError, invalidField, notFound } from '../../api-error.ts';
import type { Handlers, SessionCall } from '../../call.ts';
import { handlersOf } from '../../crud/handlers-of.ts';
import { inUnitOfWork } from '../../crud/unit-of-work.ts';
import { hashNewPassword } from '../../passwords/new-password.ts';
import { addPasswordAuthenticator } from './add-password-authenticator.ts';
import { refuseSecond } from './authenticators.ts';
import type { CredentialChange } from './change-credentials.ts';
import { changeCredentials, readAuthenticator } from './change-credentials.ts';

const minUsernameLength = 4;

const { list, get, delete: remove } = handlersOf('authenticators');

/** Handlers of `/authenticators`. A password is hashed before the transaction, because that takes long. */
export const authenticatorHandlers: Handlers<typeof managementApi>['authenticators'] = {
  list,
  get,
  delete: remove,

  async create(call, { body }) {
    const { identityId, tags } = body;
    const credentials = requireCredentials(body);
    const { db } = call.entities;
    // Checked again in the transaction. Here, because the wire reports these errors before a bad password.
    await refuseSecond(db, { identityId, method: 'updb' });
    const identity = await db.selectFrom('identities').select('id').where('id', '=', identityId).executeTakeFirst();
    if (!identity) throw notFound('identity', identityId);
    const passwordHash = await hashNewPassword(call, { identityId, password: credentials.password });
    const account = { identityId, tags, ...credentials, passwordHash };
    return { id: await inUnitOfWork(call, (unit) => addPasswordAuthenticator(unit, account)) };
  },

  update: (call, { params, body }) => change(call, params.id, { verb: 'update', body }),
  patch: (call, { params, body }) => change(call, params.id, { verb: 'patch', body }),
};

/** For an authenticator without a password the request succeeds and changes only the tags, as on the wire. */
async function change(call: SessionCall, id: string, change: Pick<CredentialChange, 'verb' | 'body'>): Promise<void> {
  const authenticator = await readAuthenticator(call, id);
  if (!authenticator) throw notFound('authenticator', id);
  const { method, identityId } = authenticator;
  const { tags, ...credentials } = change.body;
  const body = method === 'updb' ? { ...credentials, tags } : { tags };
  const endOtherSessions = Boolean(body.password);
  await changeCredentials(call, { ...change, id, identityId, body, by: 'administrator', endOtherSessions });
}

/** The order of the checks is that of the wire. */
function requireCredentials({ method, username, password, certPem }: AuthenticatorCreate) {
  if (method === 'cert') {
    if (!certPem) throw invalidField('certPem', 'certPem is required');
    const reason = 'authenticators of this method cannot be created on this controller';
    throw new ApiError('NOT_IMPLEMENTED', { cause: { field: 'method', reason, value: method } });
  }
  if (method !== 'updb') throw invalidField('method', 'method must be updb or cert', method);
  if (!username) throw invalidField('username', 'username is required');
  if (!password) throw invalidField('password', 'password is required');
  // A sign-in refuses a shorter user name.
  if (username.length < minUsernameLength) {
    throw invalidField('username', `username in body should be at least ${minUsernameLength} chars long`, username);
  }
  return { username, password };
}
