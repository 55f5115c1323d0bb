import { schemaOf } from './schema.ts';
import type { SchemaChange } from './schema-change.ts';

/** Services, their policies, and the configs that identities get for them. */
export const services: SchemaChange = async (db, context) => {
  const { assignmentTable, entityTable, rolesTable, setTable, uniqueIndex } = schemaOf(db, context);
  await entityTable('services', {
    name: 'text',
    encryptionRequired: 'integer',
    terminatorStrategy: 'text',
    maxIdleTimeMillis: 'bigint',
  });
  await uniqueIndex('services', 'name');
  await setTable('services', 'roleAttributes');
  await setTable('services', 'configs', 'configs');
  await entityTable('servicePolicies', { name: 'text', type: 'text', semantic: 'text' });
  await uniqueIndex('servicePolicies', 'name');
  for (const roles of ['identityRoles', 'serviceRoles', 'postureCheckRoles']) {
    await rolesTable('servicePolicies', roles);
  }
  await assignmentTable('identities', 'serviceConfigs', { serviceId: 'services', configId: 'configs' });
};
