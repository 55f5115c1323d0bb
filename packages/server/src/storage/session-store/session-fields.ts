import type { FilterFields } from '../../core/filter/page.ts';

/** The filter fields of API sessions. */
export const sessionFields: FilterFields = {
  id: { column: 'id', type: 'string' },
  createdAt: { column: 'createdAt', type: 'datetime' },
  updatedAt: { column: 'updatedAt', type: 'datetime' },
  tags: { column: null, type: 'tags' },
  isSystem: { column: null, type: 'boolean' },
  identity: { column: 'identityId', type: 'string' },
  lastActivityAt: { column: 'lastActivityAt', type: 'datetime' },
  authenticator: { column: 'authenticatorId', type: 'string' },
  ipAddress: { column: 'ipAddress', type: 'string' },
  mfaComplete: { column: 'isMfaComplete', type: 'boolean' },
  improperClientCertChain: { column: 'improperClientCertChain', type: 'boolean' },
  mfaRequired: { column: 'isMfaRequired', type: 'boolean' },
};
