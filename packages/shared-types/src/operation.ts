import type { z } from 'zod';
import type { ErrorCode } from './errors.ts';
import type { ObjectOfKinds } from './kinds.ts';
import type { Permission } from './permission.ts';

/**
 * The sessions that may call an operation.
 *
 * - `anyone`: no API session is needed; an invalid one is ignored
 * - `partial`: an API session, also with outstanding authentication queries
 * - `full`: an API session without outstanding authentication queries
 * - `admin`: a full API session of an identity that has the permission of the operation
 */
export type Access = 'anyone' | 'partial' | 'full' | 'admin';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * The form of the success response. The handler returns the inner part. The HTTP layer adds the envelope.
 *
 * - `detail`: 200 `{data, meta: {}}`; the handler returns `data`
 * - `list`: 200 `{data: [...], meta: {filterableFields, pagination}}`; the handler returns a `Page`
 * - `create`: 201 `{data: {_links: {self}, id}, meta: {}}`; the handler returns `{id}`, and `href` when the link of the
 *   entity is not `./<collection>/<id>`
 * - `created`: 201 `{data, meta: {}}`; the handler returns `data`
 * - `empty`: 200 `{data: {}, meta: {}}`; the handler returns nothing
 * - `document`: 200 without an envelope; the handler returns the text or the bytes of a document, which has one of the
 *   types in `produces`
 */
export type Result = 'detail' | 'list' | 'create' | 'created' | 'empty' | 'document';

/** Media types of request bodies. All except JSON are read as text. */
export type RequestType = 'application/json' | 'application/pkcs7' | 'application/x-pem-file' | 'text/plain';

/** Media types of documents. */
export type DocumentType =
  | 'application/json'
  | 'application/jwt'
  | 'application/pkcs7-mime'
  | 'application/x-pem-file'
  | 'image/png'
  | 'text/plain'
  | 'text/yaml';

/** An object or an array is sent as JSON, a string as text. */
export type BodySchema = z.ZodObject | z.ZodArray | z.ZodString | ObjectOfKinds;

/** One operation of an API. It is data only. Routes, SDK calls and documents are created from it. */
export interface Operation {
  readonly method: Method;
  /** Path below the API root, with parameters in braces: `/identities/{id}`. */
  readonly path: string;
  readonly access: Access;
  /** Required for access `admin`. Not used for other access levels. */
  readonly permission?: Permission;
  /** The authentication query that it answers. A session that lacks nothing else may call it, too. */
  readonly answers?: 'NEW-PASSWORD';
  readonly result: Result;
  readonly summary: string;
  readonly params?: z.ZodObject;
  /** A parameter may be repeated when its schema is an array. */
  readonly query?: z.ZodObject;
  /** Request headers that the operation reads. The names are in lower case. */
  readonly headers?: z.ZodObject;
  readonly body?: BodySchema;
  /** True when the request may have no body. The body is then `{}`. */
  readonly bodyOptional?: true;
  /** Maximum length of the body in bytes. Default: 16,384 for access `anyone`, otherwise 1,048,576. */
  readonly bodyLimit?: number;
  /** Media types of the body. Default: `text/plain` for a string, otherwise `application/json`. */
  readonly consumes?: readonly RequestType[];
  /** The member of the JSON object that gets the text when a client sends text instead of JSON. */
  readonly textMember?: string;
  /** Media types of a `document`, the preferred one first. `Accept` selects one of them. */
  readonly produces?: readonly DocumentType[];
  /** True when the response ignores `Accept`: it has only one type. */
  readonly ignoresAccept?: true;
  /** Set to `null` for a `detail` whose `meta` is null instead of empty. */
  readonly meta?: null;
  /** True for operations that check credentials. The attempts per second and client address are limited. */
  readonly attempt?: true;
  /** True when it ends the API session of the caller, which it does also while the session cannot be read. */
  readonly endsSession?: true;
  /** Errors that cannot be derived from the other members. The API documents list them. */
  readonly errors?: readonly ErrorCode[];
  /** Schema of `data`; for a `list`, of one row. Absent for `create`, `empty` and `document`. */
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

/** The input of a handler and of an SDK call: the parsed `params`, `query`, `headers` and `body` of an operation. */
export type Input<O extends Operation> = {
  [K in 'params' | 'query' | 'headers' | 'body' as O[K] extends z.ZodType ? K : never]: Inferred<O[K]>;
};

/** The `data` in the response of an operation. For a list, the type of one row. */
export type Data<O extends Operation> = O extends { response: infer S extends z.ZodType } ? z.output<S> : undefined;
