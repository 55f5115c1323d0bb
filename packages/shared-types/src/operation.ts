import type { z } from 'zod';

/**
 * Who may call an operation.
 *
 * - `anyone`: no API session needed; a bad one is ignored
 * - `partial`: any live API session, also one with outstanding authentication queries
 * - `full`: an API session without outstanding authentication queries
 * - `admin`: a full API session of an identity that holds the right permission
 */
export type Access = 'anyone' | 'partial' | 'full' | 'admin';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * What the success answer looks like. The handler returns the inner part, the HTTP layer writes the envelope.
 *
 * - `detail`: 200 `{data, meta: {}}`; the handler returns `data`
 * - `list`: 200 `{data: [...], meta: {filterableFields, pagination}}`; the handler returns a `Page`
 * - `create`: 201 `{data: {_links: {self}, id}, meta: {}}`; the handler returns `{id}`, with `href` when the entity is not
 *   to be read at `./<collection>/<id>`
 * - `empty`: 200 `{data: {}, meta: {}}`; the handler returns nothing
 * - `png`: 200 with a PNG image instead of an envelope; the handler returns its bytes
 */
export type Answer = 'detail' | 'list' | 'create' | 'empty' | 'png';

/** One operation of an API: data only. Everything else (routes, SDK calls, documents) is made by walking it. */
export interface Operation {
  readonly method: Method;
  /** Path below the API root, parameters in braces: `/identities/{id}`. */
  readonly path: string;
  readonly access: Access;
  readonly answer: Answer;
  readonly summary: string;
  readonly params?: z.ZodObject;
  readonly query?: z.ZodObject;
  /** Request headers that the operation reads, names in lower case. */
  readonly headers?: z.ZodObject;
  readonly body?: z.ZodObject;
  /** True for operations that try credentials: their number per second is limited by client address. */
  readonly attempt?: true;
  /** True when the request may come without a body; it then counts as `{}`. */
  readonly bodyOptional?: true;
  /** Schema of `data` (for `list`: of one row). Absent for `create` and `empty`. */
  readonly response?: z.ZodType;
}

/** The operations of one resource by verb: `{list, get, create, …}`. */
export type Resource = Readonly<Record<string, Operation>>;

/** One API surface: resource → verb → operation. */
export type ApiTree = Readonly<Record<string, Resource>>;

/** Declares a resource and keeps the literal types of its operations. */
export function defineResource<const R extends Resource>(resource: R): R {
  return resource;
}

type Inferred<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What a handler receives and an SDK call takes: the parsed `params`, `query`, `headers` and `body` of an operation. */
export type Input<O extends Operation> = {
  [K in 'params' | 'query' | 'headers' | 'body' as O[K] extends z.ZodType ? K : never]: Inferred<O[K]>;
};

/** The `data` of an operation's answer; of a list, one row. */
export type Data<O extends Operation> = O extends { response: infer S extends z.ZodType } ? z.output<S> : undefined;
