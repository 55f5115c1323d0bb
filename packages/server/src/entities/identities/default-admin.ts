import { randomBytes } from 'node:crypto';
import type { Services } from '../../call.ts';
import { isoTime } from '../../lib/clock.ts';
import { shortId } from '../../lib/ids.ts';

/** What came of it; `password` only when it was generated. */
export interface DefaultAdmin {
  readonly username: string;
  readonly created: boolean;
  readonly generatedPassword: string | null;
}

/**
 * Makes the default administrator when there is none: identity and authenticator in one transaction. An existing one is
 * never touched. Two controllers that start at once make one: the loser runs into the unique name.
 */
export async function ensureDefaultAdmin(services: Services): Promise<DefaultAdmin> {
  const { entities, settings, passwords, clock } = services;
  const existing = await findDefaultAdmin(services);
  if (existing) return { username: existing.username, created: false, generatedPassword: null };
  const generatedPassword = settings.adminPassword === null ? generatePassword() : null;
  const passwordHash = await passwords.hash(settings.adminPassword ?? generatedPassword ?? '');
  const now = isoTime(clock());
  const base = { createdAt: now, updatedAt: now, tags: '{}' };
  const identityId = shortId();
  try {
    await entities.transaction(async (tx) => {
      await tx
        .insertInto('identities')
        .values({
          ...base,
          id: identityId,
          name: 'Default Admin',
          typeId: 'Default',
          isAdmin: 1,
          isDefaultAdmin: 1,
          externalId: null,
          authPolicyId: 'default',
          roleAttributes: '[]',
          defaultHostingCost: 0,
          defaultHostingPrecedence: 'default',
          serviceHostingCosts: '{}',
          serviceHostingPrecedences: '{}',
          appData: '{}',
          envInfo: '{}',
          sdkInfo: '{}',
          disabledAt: null,
          disabledUntil: null,
        })
        .execute();
      await tx
        .insertInto('authenticators')
        .values({ ...base, id: shortId(), identityId, method: 'updb', username: settings.adminUsername, passwordHash })
        .execute();
    });
  } catch (error) {
    const winner = entities.violatedUnique(error) === null ? null : await findDefaultAdmin(services);
    if (!winner) throw error;
    return { username: winner.username, created: false, generatedPassword: null };
  }
  return { username: settings.adminUsername, created: true, generatedPassword };
}

/** Sets a new password of the default administrator and ends its API sessions. The generated password, if it was. */
export async function resetDefaultAdminPassword(services: Services): Promise<DefaultAdmin | null> {
  const { entities, settings, passwords, clock, outbox } = services;
  const admin = await findDefaultAdmin(services);
  if (!admin) return null;
  const generatedPassword = settings.adminPassword === null ? generatePassword() : null;
  const passwordHash = await passwords.hash(settings.adminPassword ?? generatedPassword ?? '');
  await entities.transaction(async (tx) => {
    const now = isoTime(clock());
    if (admin.authenticatorId === null) {
      const base = { id: shortId(), createdAt: now, updatedAt: now, tags: '{}' };
      const own = { identityId: admin.identityId, method: 'updb' as const, username: admin.username, passwordHash };
      await tx
        .insertInto('authenticators')
        .values({ ...base, ...own })
        .execute();
    } else {
      await tx
        .updateTable('authenticators')
        .set({ passwordHash, updatedAt: now })
        .where('id', '=', admin.authenticatorId)
        .execute();
    }
    // Whoever is locked out has this command only: it opens the door whatever closed it.
    await tx
      .updateTable('identities')
      .set({ disabledAt: null, disabledUntil: null, updatedAt: now })
      .where('id', '=', admin.identityId)
      .execute();
    await outbox.add(tx, { kind: 'endSessions', identityId: admin.identityId });
  });
  await outbox.drain();
  return { username: admin.username, created: false, generatedPassword };
}

async function findDefaultAdmin({ entities, settings }: Services) {
  const row = await entities.db
    .selectFrom('identities')
    .leftJoin('authenticators', (join) =>
      join.onRef('authenticators.identityId', '=', 'identities.id').on('authenticators.method', '=', 'updb'),
    )
    .select(['identities.id as identityId', 'authenticators.id as authenticatorId', 'authenticators.username'])
    .where('identities.isDefaultAdmin', '=', 1)
    .executeTakeFirst();
  return (
    row && {
      identityId: row.identityId,
      authenticatorId: row.authenticatorId,
      username: row.username ?? settings.adminUsername,
    }
  );
}

/** 24 characters, 144 bit. */
function generatePassword(): string {
  return randomBytes(18).toString('base64url');
}
