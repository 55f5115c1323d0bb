import { ApiError, invalidField } from '../../../core/api-error.ts';
import { shortId } from '../../../core/secrets/ids.ts';
import { hashNewPassword } from '../../../credentials/passwords/new-password.ts';
import { addPasswordAuthenticator } from '../../../entities/authenticators/add-password-authenticator.ts';
import type { EnrollmentMethodHandler } from '../method.ts';

/** Sets a password for the user name of the enrollment. A user name in the body is ignored. */
export const updb: EnrollmentMethodHandler = async (call, { ownerId: identityId, username }, { password }) => {
  if (!password) throw invalidField('password', 'password in body is required');
  const account = { identityId, username: username ?? '', password };
  await refuseTakenUsername(call, account.username);
  const passwordHash = await hashNewPassword(call, account);
  return async (unit) => {
    await addPasswordAuthenticator(unit, { ...account, passwordHash, isSetByOther: false, id: shortId() }).catch(
      (error: unknown) => {
        throw isUsernameTaken(error) ? usernameTaken() : error;
      },
    );
    return { username: account.username };
  };
};

async function refuseTakenUsername(
  { database }: Parameters<EnrollmentMethodHandler>[0],
  username: string,
): Promise<void> {
  const taken = await database.db
    .selectFrom('authenticators')
    .select('id')
    .where('username', '=', username)
    .executeTakeFirst();
  if (taken) throw usernameTaken();
}

function isUsernameTaken(error: unknown): boolean {
  return error instanceof ApiError && error.detail?.field === 'updbUsername';
}

/** The error for a user name that another authenticator has. The enrollment is not consumed. */
function usernameTaken(): ApiError {
  return invalidField('username', 'username is already used by another authenticator');
}
