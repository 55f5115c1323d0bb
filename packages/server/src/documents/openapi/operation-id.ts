/** What the ids of the usual verbs begin with. The entity follows in the singular: `detailIdentity`. */
const beginnings: Readonly<Record<string, string>> = {
  get: 'detail',
  create: 'create',
  update: 'update',
  patch: 'patch',
  delete: 'delete',
  enable: 'enable',
  disable: 'disable',
};

/** Returns the id of an operation. Where one rule can make it, it is the id that existing clients of the wire API know. */
export function operationId(resource: string, verb: string, path: string): string {
  if (path === `/${verb}`) return verb;
  if (verb === 'list') return `list${capital(resource)}`;
  const beginning = verb === 'get' && !path.includes('{') ? 'get' : beginnings[verb];
  return beginning ? beginning + capital(singular(resource)) : resource + capital(verb);
}

function singular(resource: string): string {
  return resource.replace(/ies$/, 'y').replace(/s$/, '');
}

function capital(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}
