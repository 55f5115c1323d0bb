import { sql } from 'kysely';
import { schemaOf } from './schema.ts';
import type { SchemaChange } from './schema-change.ts';

/** Third-party CAs, and authenticators with a certificate. */
export const certificates: SchemaChange = async (db, context) => {
  const { text } = context;
  const { index, uniqueIndex } = schemaOf(db, context);

  // No version before could create a CA, so the default values are never used. SQLite asks for them.
  for (const column of ['certPem', 'fingerprint', 'identityNameFormat']) {
    await db.schema
      .alterTable('cas')
      .addColumn(column, text, (added) => added.notNull().defaultTo(''))
      .execute();
  }
  const numbers = [
    'isVerified',
    'isAutoCaEnrollmentEnabled',
    'isOttCaEnrollmentEnabled',
    'isAuthEnabled',
    'authVersion',
  ];
  for (const column of numbers) {
    await db.schema
      .alterTable('cas')
      .addColumn(column, 'integer', (added) => added.notNull().defaultTo(0))
      .execute();
  }
  for (const column of ['verificationToken', 'identityRoles', 'externalIdClaim']) {
    await db.schema.alterTable('cas').addColumn(column, text).execute();
  }
  await uniqueIndex('cas', 'name');
  await uniqueIndex('cas', 'fingerprint');
  await index('cas', 'createdAt', 'id');

  for (const column of ['publicKeyPrint', 'pendingCertPem', 'pendingFingerprint']) {
    await db.schema
      .alterTable('authenticators')
      .addColumn(column, text, (added) => added.notNull().defaultTo(''))
      .execute();
  }
  for (const column of ['certPem', 'fingerprint', 'extendRequestedAt'])
    await db.schema.alterTable('authenticators').addColumn(column, text).execute();
  const flags = [
    'isIssuedByNetwork',
    'isExtendRequested',
    'isKeyRollRequested',
    'lastExtendRolledKeys',
    'lastAuthResolvedToRoot',
  ];
  for (const column of flags) await db.schema.alterTable('authenticators').addColumn(column, 'integer').execute();
  // As those that are created now, so that filters find them.
  await sql`update "authenticators" set ${sql.join(flags.map((column) => sql`${sql.ref(column)} = 0`))}`.execute(db);
  await uniqueIndex('authenticators', 'fingerprint');
};
