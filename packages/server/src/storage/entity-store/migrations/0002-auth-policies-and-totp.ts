import type { RawBuilder } from 'kysely';
import type { SchemaChange } from './schema-change.ts';

export const authPoliciesAndTotp: SchemaChange = async (db, { text }) => {
  const add = (table: string, column: string, type: 'integer' | RawBuilder<string>, initial: number | string) =>
    db.schema
      .alterTable(table)
      .addColumn(column, type, (built) => built.notNull().defaultTo(initial))
      .execute();
  // The default values are also those of the system policy.
  await add('authPolicies', 'certAllowed', 'integer', 1);
  await add('authPolicies', 'certAllowExpiredCerts', 'integer', 1);
  await add('authPolicies', 'extJwtAllowed', 'integer', 0);
  await add('authPolicies', 'extJwtAllowedSigners', text, '[]');
  await add('authPolicies', 'updbAllowed', 'integer', 1);
  await add('authPolicies', 'updbMinPasswordLength', 'integer', 8);
  await add('authPolicies', 'updbRequireSpecialChar', 'integer', 0);
  await add('authPolicies', 'updbRequireNumberChar', 'integer', 0);
  await add('authPolicies', 'updbRequireMixedCase', 'integer', 0);
  await add('authPolicies', 'updbMaxAttempts', 'integer', 0);
  await add('authPolicies', 'updbLockoutDurationMinutes', 'integer', 0);
  await add('authPolicies', 'requireTotp', 'integer', 0);
  await db.schema.alterTable('authPolicies').addColumn('requireExtJwtSigner', text).execute();
  await db.schema.createIndex('authPolicies_name_unique').unique().on('authPolicies').column('name').execute();

  await add('authenticators', 'failedAttempts', 'integer', 0);
  await add('authenticators', 'pendingAttempts', 'integer', 0);
  await db.schema.alterTable('authenticators').addColumn('pendingSince', text).execute();

  await db.schema
    .createTable('mfas')
    .addColumn('id', text, (column) => column.primaryKey())
    .addColumn('createdAt', text, (column) => column.notNull())
    .addColumn('updatedAt', text, (column) => column.notNull())
    .addColumn('tags', text, (column) => column.notNull())
    .addColumn('identityId', text, (column) => column.notNull().references('identities.id').onDelete('cascade'))
    .addColumn('isVerified', 'integer', (column) => column.notNull())
    .addColumn('sealedSecret', text, (column) => column.notNull())
    .addColumn('sealedRecoveryCodes', text, (column) => column.notNull())
    .addColumn('lastStep', 'integer')
    .addColumn('attempts', 'integer', (column) => column.notNull())
    .addColumn('attemptedAt', text)
    .addColumn('sessionId', text, (column) => column.notNull())
    .execute();
  await db.schema.createIndex('mfas_identityId_unique').unique().on('mfas').column('identityId').execute();
};
