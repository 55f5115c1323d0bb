import type { EntityData } from '@edge-controller/shared-types';
import { invalidField, notFound } from '../../core/api-error.ts';
import { hashNewPassword } from '../../credentials/passwords/new-password.ts';
import { refuseShortUsername } from '../../credentials/sign-in-rules/refuse-short-username.ts';
import { inUnitOfWork } from '../../crud/unit-of-work.ts';
import { lockIdentity } from '../../storage/entity-store/locks/lock-identity.ts';
import type { SessionCall } from '../dependencies.ts';
import { addCertificateAuthenticator } from './add-certificate-authenticator.ts';
import { addPasswordAuthenticator } from './add-password-authenticator.ts';
import { refuseSecond } from './authenticators.ts';
import { readClientCertificate } from './read-client-certificate.ts';

/** Creates an authenticator as an administrator asks, and returns its id. The order of the checks is that of the wire. */
export async function createAuthenticator(
  call: SessionCall,
  body: EntityData<'authenticators', 'create'>,
): Promise<string> {
  const { method, identityId, tags, certPem } = body;
  if (method === 'updb') return await createPassword(call, body);
  if (method !== 'cert') throw invalidField('method', 'method must be updb or cert', method);
  if (!certPem) throw invalidField('certPem', 'certPem is required');
  await refuseSecond(call.database.db, { identityId, method });
  const prints = await readClientCertificate(call, certPem);
  const certificate = { identityId, certPem, tags, ...prints, isIssuedByNetwork: false };
  return await inUnitOfWork(call, async (unit) => {
    // Locked, so that of two concurrent requests one sees the authenticator of the other.
    if (!(await lockIdentity(call.database, unit.tx, identityId))) throw notFound('identity', identityId);
    await refuseSecond(unit.tx, { identityId, method });
    return addCertificateAuthenticator(unit, certificate);
  });
}

/** A password is hashed before the transaction, because that takes long. */
async function createPassword(call: SessionCall, body: EntityData<'authenticators', 'create'>): Promise<string> {
  const { identityId, tags } = body;
  const credentials = requireCredentials(body);
  const { db } = call.database;
  // Checked again in the transaction. Here, because the wire reports these errors before a bad password.
  await refuseSecond(db, { identityId, method: 'updb' });
  const identity = await db.selectFrom('identities').select('id').where('id', '=', identityId).executeTakeFirst();
  if (!identity) throw notFound('identity', identityId);
  const passwordHash = await hashNewPassword(call, { identityId, ...credentials });
  const isSetByOther = identityId !== call.session.principal.id;
  const account = { identityId, tags, ...credentials, passwordHash, isSetByOther };
  return await inUnitOfWork(call, (unit) => addPasswordAuthenticator(unit, account));
}

function requireCredentials({ username, password }: EntityData<'authenticators', 'create'>) {
  if (!username) throw invalidField('username', 'username is required');
  if (!password) throw invalidField('password', 'password is required');
  refuseShortUsername(username);
  return { username, password };
}
