import { checkNewPassword } from '../../credentials/passwords/new-password.ts';
import { setPassword } from '../../credentials/passwords/password-record.ts';
import type { UnitOfWork } from '../../crud/unit-of-work.ts';
import { createEntity } from '../../crud/write.ts';

interface Account {
  readonly identityId: string;
  readonly username: string;
  readonly password: string;
  /** The hash of `password`. It takes long, so it is made before the transaction. */
  readonly passwordHash: string;
  /** Whether somebody else than the identity has chosen it. */
  readonly isSetByOther: boolean;
  readonly tags?: Readonly<Record<string, unknown>> | null | undefined;
  /** Id of the authenticator. Default: a new one. */
  readonly id?: string;
}

/**
 * Creates the authenticator of method `updb` of an identity and returns its id.
 *
 * @throws 409 `MAX_AUTHENTICATOR_METHODS_REACHED` when the identity has one, 404 without the identity, 400 when its auth
 *   policy refuses the password or the user name is taken
 */
export async function addPasswordAuthenticator(unit: UnitOfWork, account: Account): Promise<string> {
  const { identityId, username, passwordHash, isSetByOther, tags, id } = account;
  const body = { method: 'updb', identityId, username, tags };
  const authenticatorId = await createEntity(unit, 'authenticators', body, id === undefined ? {} : { id });
  await checkNewPassword(unit.tx, account);
  await setPassword(unit.tx, { authenticatorId, hash: passwordHash, isSetByOther });
  return authenticatorId;
}
