/** What service policies select: the tables of their roles, and of the attributes and entities that these select. */
export const identityRoles = { roles: 'servicePolicies_identityRoles', attributes: 'identities_roleAttributes' };
export const serviceRoles = {
  roles: 'servicePolicies_serviceRoles',
  attributes: 'services_roleAttributes',
  entities: 'services',
};
export const checkRoles = {
  roles: 'servicePolicies_postureCheckRoles',
  attributes: 'postureChecks_roleAttributes',
  entities: 'postureChecks',
};
