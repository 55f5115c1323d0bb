import type { clientApi } from '@edge-controller/shared-types';
import { ApiError } from '../../api-error.ts';
import type { Handlers } from '../../call.ts';
import { readRow } from '../define-entity.ts';
import { identityDetails } from './identity-details.ts';

const self = './current-identity';
const links = { self: { href: self }, mfa: { href: `${self}/mfa` } };

/** Handlers of `/current-identity`. */
export const currentIdentity: Handlers<typeof clientApi>['currentIdentity'] = {
  async get(call) {
    const row = await readRow(call.entities.db, 'identities', call.session.principal.id);
    const [detail] = await identityDetails(call, row ? [row] : []);
    // The identity was deleted during this request. Later requests get the same error.
    if (!detail) throw new ApiError('UNAUTHORIZED');
    return { ...detail, _links: links };
  },
};
