import type { z } from 'zod';

/**
 * Who may call an operation.
 *
 * - `anyone`: no API session needed; a bad one is ignored
 * - `partial`: any live API session, also one with outstanding authentication queries
 * - `full`: an API session without outstanding authentication queries
 * - `admin`: a full API session of an identity that holds the permission of the operation
 */
export type Access = 'anyone' | 'partial' | 'full' | 'admin';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** What an `admin` operation does to which kind of entity: `service.read`. `admin`: for administrators alone. */
export type Permission = 'admin' | `${string}.${'read' | 'create' | 'update' | 'delete'}`;

/**
 * What the success response holds. The handler returns the inner part, the HTTP layer writes the envelope.
 *
 * - `detail`: 200 `{data, meta: {}}`; the handler returns `data`
 * - `list`: 200 `{data: [...], meta: {filterableFields, pagination}}`; the handler returns a `Page`
 * - `create`: 201 `{data: {_links: {self}, id}, meta: {}}`; the handler returns `{id}`, with `href` when the entity is not
 *   to be read at `./<collection>/<id>`
 * - `created`: 201 `{data, meta: {}}`; the handler returns `data`
 * - `empty`: 200 `{data: {}, meta: {}}`; the handler returns nothing
 * - `document`: 200 with a document of one of the types in `produces` instead of an envelope; the handler returns its
 *   text or its bytes
 */
export type Result = 'detail' | 'list' | 'create' | 'created' | 'empty' | 'document';

/** Media types that request bodies have on the wire. All but JSON are read as text. */
export type RequestType = 'application/json' | 'application/pkcs7' | 'application/x-pem-file' | 'text/plain';

/** Media types that documents have on the wire. */
export type DocumentType =
  | 'application/json'
  | 'application/jwt'
  | 'application/pkcs7-mime'
  | 'application/x-pem-file'
  | 'image/png'
  | 'text/plain'
  | 'text/yaml';

/** One operation of an API: data only. Everything else (routes, SDK calls, documents) is made by walking it. */
export interface Operation {
  readonly method: Method;
  /** Path below the API root, parameters in braces: `/identities/{id}`. */
  readonly path: string;
  readonly access: Access;
  /** Required for access `admin`, without meaning for any other. */
  readonly permission?: Permission;
  readonly result: Result;
  readonly summary: string;
  readonly params?: z.ZodObject;
  /** Parameters whose schema is an array may be repeated. */
  readonly query?: z.ZodObject;
  /** Request headers that the operation reads, names in lower case. */
  readonly headers?: z.ZodObject;
  /** An object or an array is sent as JSON, a string as text. */
  readonly body?: z.ZodObject | z.ZodArray | z.ZodString;
  /** True when the request may come without a body; it then counts as `{}`. */
  readonly bodyOptional?: true;
  /** Bytes that the body may have. Default: 16,384 for access `anyone`, else 1,048,576. */
  readonly bodyLimit?: number;
  /** Media types of the body. Default: `application/json`; `text/plain` for a string. */
  readonly consumes?: readonly RequestType[];
  /** Where a text is sent instead of JSON: the member of the JSON object that it stands for. */
  readonly textMember?: string;
  /** Types of a `document`, the preferred one first. `Accept` chooses among several. */
  readonly produces?: readonly DocumentType[];
  /** True for operations that try credentials: their number per second is limited by client address. */
  readonly attempt?: true;
  /** Schema of `data` (for `list`: of one row). Absent for `create`, `empty` and `document`. */
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

/** The `data` of an operation's response; of a list, one row. */
export type Data<O extends Operation> = O extends { response: infer S extends z.ZodType } ? z.output<S> : undefined;
