import type { ClientExternalJwtSignerDetail, clientApi, EntityData } from '@edge-controller/shared-types';
import { mapPage } from '../../core/filter/map-page.ts';
import { listEntities } from '../../crud/read-entities.ts';
import { whereTrue } from '../../crud/relations.ts';
import type { Handlers } from '../dependencies.ts';

/** Only what is shown: a filter would reveal the rest. */
const symbols = [
  ...['id', 'createdAt', 'updatedAt', 'tags', 'isSystem', 'name', 'audience', 'clientId', 'externalAuthUrl', 'scopes'],
  ...['targetToken', 'enrollToCertEnabled', 'enrollToTokenEnabled'],
];

/** Anybody may list the signers that are enabled, to choose one for the sign-in. */
export const publicSigners: Handlers<typeof clientApi>['externalJwtSigners'] = {
  async list(call, { query }) {
    const page = await listEntities(call, 'externalJwtSigners', query, { conditions: [whereTrue('enabled')], symbols });
    return mapPage(page, async (details) => details.map(shown));
  },
};

function shown(detail: EntityData<'externalJwtSigners'>): ClientExternalJwtSignerDetail {
  const { id, createdAt, updatedAt, tags, _links, name, externalAuthUrl, clientId, audience, scopes } = detail;
  const { targetToken, enrollToCertEnabled, enrollToTokenEnabled } = detail;
  return {
    ...{ id, createdAt, updatedAt, tags, _links, name, externalAuthUrl, scopes, targetToken },
    ...(clientId !== null && { clientId }),
    ...(audience !== null && { audience }),
    ...(enrollToCertEnabled && { enrollToCertEnabled }),
    ...(enrollToTokenEnabled && { enrollToTokenEnabled }),
  };
}
