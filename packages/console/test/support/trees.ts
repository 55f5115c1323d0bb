import type { ApiName } from '@edge-controller/operation-tables';
import type { ApiTree } from '@edge-controller/shared-types';
import { clientApi, managementApi } from '@edge-controller/shared-types';

export const trees: Readonly<Record<ApiName, ApiTree>> = { client: clientApi, management: managementApi };

/** `management.identities.list`, for every operation of both APIs. */
export const operationsOfTrees = Object.entries(trees).flatMap(([api, tree]) =>
  Object.entries(tree).flatMap(([resource, verbs]) => Object.keys(verbs).map((verb) => `${api}.${resource}.${verb}`)),
);
