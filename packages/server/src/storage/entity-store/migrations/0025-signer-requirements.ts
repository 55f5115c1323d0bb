import { schemaOf } from './schema.ts';
import type { SchemaChange } from './schema-change.ts';

/** What a signer must say about a sign-in, and the signer that alone may use the external id of an identity. */
export const signerRequirements: SchemaChange = async (db, context) => {
  const { text } = context;
  for (const column of ['requiredAcr', 'requiredAmr']) {
    await db.schema.alterTable('externalJwtSigners').addColumn(column, text).execute();
  }
  await db.schema.alterTable('externalJwtSigners').addColumn('maxAuthAgeMinutes', 'integer').execute();
  await db.schema
    .alterTable('identities')
    .addColumn('externalIdSignerId', text, (column) => column.references('externalJwtSigners.id').onDelete('restrict'))
    .execute();
  await schemaOf(db, context).index('identities', 'externalIdSignerId');
};
