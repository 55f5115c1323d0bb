import type { OperationRow } from '../../calls/operation-row.ts';

type Rows<Verb extends string> = Readonly<Record<Verb, OperationRow>>;

/** List and detail of the entities below a path. */
export function readOperations(path: string, access: OperationRow['access']): Rows<'list' | 'get'> {
  return {
    list: { method: 'GET', path, access, result: 'list', query: true },
    get: { method: 'GET', path: `${path}/{id}`, access, result: 'detail' },
  };
}

/** What administrators can do with the entities below a path. */
export function entityOperations(path: string): Rows<'list' | 'get' | 'create' | 'update' | 'patch' | 'delete'> {
  const change = { path: `${path}/{id}`, access: 'admin', result: 'empty' } as const;
  return {
    ...readOperations(path, 'admin'),
    create: { method: 'POST', path, access: 'admin', result: 'create', body: true },
    update: { ...change, method: 'PUT', body: true },
    patch: { ...change, method: 'PATCH', body: true },
    delete: { ...change, method: 'DELETE' },
  };
}
