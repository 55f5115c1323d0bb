import { ApiError, invalidField } from '../../api-error.ts';
import { isoTime } from '../../lib/clock.ts';
import { shortId } from '../../lib/ids.ts';
import { HashQueueFull } from '../../lib/password-hash.ts';
import type { EnrollmentMethodHandler } from '../method.ts';

/** What the default auth policy asks for. */
const minPasswordLength = 8;

/** Sets the password of the user name that the enrollment was made for; one in the body is ignored. */
export const updb: EnrollmentMethodHandler = async (call, enrollment, body) => {
  if (!body.password) throw invalidField('password', 'password in body is required');
  if (body.password.length < minPasswordLength) {
    throw invalidField('password', `password should be at least ${minPasswordLength} chars long`);
  }
  const username = enrollment.username ?? '';
  await refuseTaken(call, username);
  const passwordHash = await call.passwords.hash(body.password).catch((error: unknown) => {
    if (error instanceof HashQueueFull) {
      throw new ApiError('SERVER_TOO_MANY_REQUESTS', { retryAfter: 1, origin: error });
    }
    throw error;
  });
  return async (tx) => {
    const now = isoTime(call.clock());
    await tx
      .insertInto('authenticators')
      .values({
        id: shortId(),
        identityId: enrollment.identityId,
        method: 'updb',
        username,
        passwordHash,
        createdAt: now,
        updatedAt: now,
        tags: '{}',
      })
      .execute();
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
