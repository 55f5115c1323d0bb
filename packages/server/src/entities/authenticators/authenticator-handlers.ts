import type { managementApi } from '@edge-controller/shared-types';
import { notFound } from '../../core/api-error.ts';
import type { Handlers, SessionCall } from '../dependencies.ts';
import { authenticatorActions } from './authenticator-actions.ts';
import type { CredentialChange } from './change-credentials.ts';
import { changeCredentials, readAuthenticator } from './change-credentials.ts';
import { createAuthenticator } from './create-authenticator.ts';

/** Handlers of `/authenticators` where they are not those of every entity. */
export const authenticatorHandlers: Omit<Handlers<typeof managementApi>['authenticators'], 'list' | 'get' | 'delete'> =
  {
    create: async (call, { body }) => ({ id: await createAuthenticator(call, body) }),
    update: (call, { params, body }) => change(call, params.id, { verb: 'update', body }),
    patch: (call, { params, body }) => change(call, params.id, { verb: 'patch', body }),
    ...authenticatorActions,
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
