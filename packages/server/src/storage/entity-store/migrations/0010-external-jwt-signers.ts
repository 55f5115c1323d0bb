import { schemaOf } from './schema.ts';
import type { SchemaChange } from './schema-change.ts';

/** External JWT signers, and the credentials of all identities that have signed in through one of them. */
export const externalJwtSigners: SchemaChange = async (db, context) => {
  const { entityTable, index, uniqueIndex } = schemaOf(db, context);
  const columns = {
    name: 'text',
    enabled: 'integer',
    issuer: 'text',
    audience: 'text?',
    certPem: 'text?',
    jwksEndpoint: 'text?',
    kid: 'text?',
    claimsProperty: 'text',
    useExternalId: 'integer',
    externalAuthUrl: 'text?',
    clientId: 'text?',
    scopes: 'text?',
    targetToken: 'text',
    enrollToCertEnabled: 'integer?',
    enrollToTokenEnabled: 'integer?',
    enrollAuthPolicyId: 'text',
    enrollNameClaimsSelector: 'text',
    enrollAttributeClaimsSelector: 'text?',
    commonName: 'text',
    fingerprint: 'text?',
    notBefore: 'text',
    notAfter: 'text',
    authVersion: 'integer',
  } as const;
  await entityTable('externalJwtSigners', columns, {
    enrollAuthPolicyId: { to: 'authPolicies', onDelete: 'restrict' },
  });
  for (const column of ['name', 'issuer', 'fingerprint']) await uniqueIndex('externalJwtSigners', column);
  // An empty `kid` is kept as it was sent, and counts as none.
  await db.schema
    .createIndex('externalJwtSigners_kid_unique')
    .unique()
    .on('externalJwtSigners')
    .column('kid')
    .where('kid', '<>', '')
    .execute();
  await index('credentials', 'authenticatorId');
};
