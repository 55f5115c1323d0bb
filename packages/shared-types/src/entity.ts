import type { z } from 'zod';
import { idParams, listQuery } from './envelope.ts';
import type { Permission } from './operation.ts';

/** The parts of an entity from which its six operations are made. */
interface EntityParts<D extends z.ZodObject, C extends z.ZodObject, U extends z.ZodObject, P extends z.ZodObject> {
  /** Path of the collection: `/identities`. */
  path: string;
  /** Singular and plural in the summaries. */
  noun: string;
  plural: string;
  /** First part of the permission names: `identity` in `identity.read`. */
  permission: string;
  /** True when only administrators may write. Other permissions then allow only reading. */
  adminWrites?: true;
  detail: D;
  create: C;
  update: U;
  patch: P;
}

/** Returns the operations list, get, create, update, patch and delete of an entity. */
export function entityOperations<
  D extends z.ZodObject,
  C extends z.ZodObject,
  U extends z.ZodObject,
  P extends z.ZodObject,
>(parts: EntityParts<D, C, U, P>) {
  const { path, noun, plural } = parts;
  const one = `${path}/{id}` as const;
  const permission = (action: 'read' | 'create' | 'update' | 'delete'): Permission =>
    parts.adminWrites && action !== 'read' ? 'admin' : `${parts.permission}.${action}`;
  return {
    list: {
      method: 'GET',
      path,
      access: 'admin',
      permission: permission('read'),
      result: 'list',
      query: listQuery,
      response: parts.detail,
      summary: `Lists ${plural}`,
    },
    get: {
      method: 'GET',
      path: one,
      access: 'admin',
      permission: permission('read'),
      result: 'detail',
      params: idParams,
      response: parts.detail,
      summary: `Reads one ${noun}`,
    },
    create: {
      method: 'POST',
      path,
      access: 'admin',
      permission: permission('create'),
      result: 'create',
      body: parts.create,
      summary: `Creates one ${noun}`,
    },
    update: {
      method: 'PUT',
      path: one,
      access: 'admin',
      permission: permission('update'),
      result: 'empty',
      params: idParams,
      body: parts.update,
      summary: `Replaces every writable field of one ${noun}`,
    },
    patch: {
      method: 'PATCH',
      path: one,
      access: 'admin',
      permission: permission('update'),
      result: 'empty',
      params: idParams,
      body: parts.patch,
      summary: `Changes the sent fields of one ${noun}; null counts as not sent`,
    },
    delete: {
      method: 'DELETE',
      path: one,
      access: 'admin',
      permission: permission('delete'),
      result: 'empty',
      params: idParams,
      summary: `Deletes one ${noun} and all that belongs to it`,
    },
  } as const;
}
