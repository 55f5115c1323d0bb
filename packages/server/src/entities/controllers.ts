import type { clientApi } from '@edge-controller/shared-types';
import type { FilterFields } from '../core/filter/page.ts';
import { select } from '../storage/database/select.ts';
import type { Handlers } from './dependencies.ts';

const fields: FilterFields = {
  id: { column: 'id', type: 'string' },
  createdAt: { column: 'createdAt', type: 'datetime' },
  updatedAt: { column: 'updatedAt', type: 'datetime' },
  tags: { column: 'tags', type: 'tags' },
  isSystem: { column: null, type: 'boolean' },
  name: { column: 'name', type: 'string' },
  fingerprint: { column: 'fingerprint', type: 'string' },
  isOnline: { column: 'isOnline', type: 'boolean' },
  lastJoinedAt: { column: 'lastJoinedAt', type: 'datetime' },
};

/** Clients use this list to find other controllers with other addresses. Processes that share their stores have one address. */
export const controllers: Handlers<typeof clientApi>['controllers'] = {
  async list(_call, { query }) {
    const { limit, offset } = select(query, fields);
    return { batches: [], filterableFields: Object.keys(fields), pagination: { limit, offset, totalCount: 0 } };
  },
};
