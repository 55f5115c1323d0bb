import type { PasswordHasher } from '../../core/secrets/password-hash.ts';
import { HashQueueFull } from '../../core/secrets/password-hash.ts';
import type { EntityStore } from '../../storage/entity-store/entity-store.ts';
import { replaceHash } from './password-record.ts';

interface Dependencies {
  readonly database: EntityStore;
  readonly passwords: Pick<PasswordHasher, 'hash' | 'isOutdated'>;
}

interface ProvenPassword {
  readonly authenticatorId: string;
  readonly password: string;
  /** What the password was compared with. */
  readonly passwordHash: string;
}

/** Hashes a password again when its hash has other parameters than new ones. When many wait for a hash, the next sign-in does it. */
export async function renewHash({ database, passwords }: Dependencies, proven: ProvenPassword): Promise<void> {
  const { authenticatorId, password, passwordHash: from } = proven;
  if (!passwords.isOutdated(from)) return;
  const to = await passwords.hash(password).catch(whenFull);
  if (to === null) return;
  await database.transaction((tx) => replaceHash(tx, { authenticatorId, from, to }));
}

function whenFull(error: unknown): null {
  if (error instanceof HashQueueFull) return null;
  throw error;
}
