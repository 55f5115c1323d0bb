import { schemaOf } from './schema.ts';
import type { SchemaChange } from './schema-change.ts';

/** Routers, the policies of edge routers, and terminators. An edge router is also in the table of all routers. */
export const routers: SchemaChange = async (db, context) => {
  const { entityTable, rolesTable, setTable, uniqueIndex } = schemaOf(db, context);
  const columns = {
    name: 'text',
    cost: 'integer',
    noTraversal: 'integer',
    disabled: 'integer',
    ctrlChanListeners: 'text?',
    isVerified: 'integer',
    fingerprint: 'text?',
    unverifiedFingerprint: 'text?',
    unverifiedCertPem: 'text?',
  } as const;
  await entityTable('transitRouters', columns);
  await entityTable('edgeRouters', { ...columns, isTunnelerEnabled: 'integer', appData: 'text', certPem: 'text?' });
  for (const table of ['transitRouters', 'edgeRouters']) {
    await uniqueIndex(table, 'name');
    await uniqueIndex(table, 'fingerprint');
    await setTable(table, 'configs', 'configs');
  }
  await setTable('edgeRouters', 'roleAttributes');

  await entityTable('edgeRouterPolicies', { name: 'text', semantic: 'text', isSystem: 'integer' });
  await entityTable('serviceEdgeRouterPolicies', { name: 'text', semantic: 'text' });
  for (const [policies, roles] of [
    ['edgeRouterPolicies', 'identityRoles'],
    ['serviceEdgeRouterPolicies', 'serviceRoles'],
  ] as const) {
    await uniqueIndex(policies, 'name');
    await rolesTable(policies, roles);
    await rolesTable(policies, 'edgeRouterRoles');
  }

  await entityTable(
    'terminators',
    {
      ...{ serviceId: 'text', routerId: 'text', binding: 'text', address: 'text' },
      ...{ identity: 'text', cost: 'integer', precedence: 'text' },
    },
    {
      serviceId: { to: 'services', onDelete: 'cascade' },
      routerId: { to: 'transitRouters', onDelete: 'cascade' },
    },
  );
};
