import { entity } from '../entity.ts';
import { uniqueName } from '../field.ts';

/** A type of identities. There are two: `Default`, and `Router` for identities that the controller makes for routers. */
export const identityTypes = entity({
  noun: 'identityType',
  collection: 'identity-types',
  readers: 'everyone',
  fields: { name: uniqueName },
  without: ['create', 'update', 'patch', 'delete'],
});
