import type { ApiError } from '../../api-error.ts';
import { invalidField } from '../../api-error.ts';
import { addPassword } from '../../entities/add-password.ts';
import { hashNewPassword } from '../../entities/new-password.ts';
import type { EnrollmentMethodHandler } from '../method.ts';

/** Sets the password of the user name that the enrollment was made for; one in the body is ignored. */
export const updb: EnrollmentMethodHandler = async (call, { identityId, username }, { password }) => {
  if (!password) throw invalidField('password', 'password in body is required');
  const account = { identityId, username: username ?? '', password };
  await refuseTaken(call, account.username);
  const passwordHash = await hashNewPassword(call, account);
  return async (tx) => {
    await addPassword({ call, tx }, { ...account, passwordHash });
  };
};

async function refuseTaken({ entities }: Parameters<EnrollmentMethodHandler>[0], username: string): Promise<void> {
  const taken = await entities.db
    .selectFrom('authenticators')
    .select('id')
    .where('username', '=', username)
    .executeTakeFirst();
  if (taken) throw usernameTaken();
}

/** The user name belongs to another authenticator; the enrollment stays. */
export function usernameTaken(): ApiError {
  return invalidField('username', 'username is already used by another authenticator');
}
