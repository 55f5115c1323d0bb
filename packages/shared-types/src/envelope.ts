import { z } from 'zod';
import { define } from './definitions.ts';

/** Date and time in RFC 3339, UTC, milliseconds: `2026-01-02T03:04:05.678Z`. */
export const dateTime = z.string().meta({ format: 'date-time' });

/** Bytes of a JSON object that the server stores as it was sent. */
const maxObjectBytes = 65_536;

/** A JSON object of any depth, at most 64 KiB as JSON text in UTF-8. */
export const anyObject = z.record(z.string(), z.any()).refine(isSmall, { error: 'is longer than 65536 bytes' });

/** Keys and values of an entity, at most 64 KiB. A value is a string, a number, a boolean or null. */
export const tags = define(
  'tags',
  z.record(z.string().min(1), z.any()).refine(isSmall, { error: 'is longer than 65536 bytes' }),
);

function isSmall(object: object): boolean {
  return new TextEncoder().encode(JSON.stringify(object)).length <= maxObjectBytes;
}

export const link = define('link', z.object({ href: z.string() }));
export const links = define('links', z.record(z.string(), link));

/** A reference to another entity. `entity` is the name of its collection. */
export const entityRef = define(
  'entityRef',
  z.object({ _links: links, entity: z.string(), id: z.string(), name: z.string().optional() }),
);

/** Members that every entity has on the wire. */
export const baseEntity = { id: z.string(), createdAt: dateTime, updatedAt: dateTime, tags, _links: links };

export const idParams = z.object({ id: z.string() });

/**
 * Query of every list. `limit`: default 10, maximum 500, -1 for all. With -1 and an `offset` above 0 the list is empty.
 * `filter` and `sort` use the query language.
 */
export const listQuery = z.object({
  limit: z.coerce.number().int().optional(),
  offset: z.coerce.number().int().optional(),
  filter: z.string().optional(),
  sort: z.string().optional(),
});

/**
 * Query of a list of entities that have role attributes. `roleFilter` selects by `#attribute` and `@id`, as the roles of a
 * policy do. `roleSemantic`: `AllOf` (default) or `AnyOf` of the attributes; upper and lower case are the same.
 */
export const roleListQuery = listQuery.extend({
  roleFilter: z.array(z.string()).optional(),
  roleSemantic: z.string().optional(),
});

export const pagination = define(
  'pagination',
  z.object({ limit: z.number(), offset: z.number(), totalCount: z.number() }),
);

/**
 * `meta` of every envelope. Lists have the first two members; a list that does not come from a store may lack one or both.
 * Errors have the other two. `meta` of any other response is empty, or null where its operation says so.
 */
export const meta = define(
  'meta',
  z.object({
    filterableFields: z.array(z.string()).optional(),
    pagination: pagination.optional(),
    apiEnrollmentVersion: z.string().optional(),
    apiVersion: z.string().optional(),
  }),
);

/** The data of a response to create: the id of the new entity and its link. */
export const createLocation = define('createLocation', z.object({ _links: links, id: z.string() }));

/** Why a request was refused: a field with a reason, or an inner error with a code and a message. */
export const apiErrorCause = define(
  'apiErrorCause',
  z.object({
    field: z.string().optional(),
    reason: z.string().optional(),
    value: z.string().optional(),
    code: z.string().optional(),
    message: z.string().optional(),
    data: z.any().optional(),
  }),
);

/** `error` of the error envelope. */
export const apiError = define(
  'apiError',
  z.object({ code: z.string(), message: z.string(), requestId: z.string(), cause: apiErrorCause.optional() }),
);

/** The body of every error response. */
export const apiErrorEnvelope = define(
  'apiErrorEnvelope',
  z.object({ error: apiError, meta: z.object({ apiEnrollmentVersion: z.string(), apiVersion: z.string() }) }),
);

export type Link = z.output<typeof link>;
export type Links = z.output<typeof links>;
export type EntityRef = z.output<typeof entityRef>;
export type Tags = z.output<typeof tags>;
export type ListQuery = z.output<typeof listQuery>;
export type RoleListQuery = z.output<typeof roleListQuery>;
export type ListMeta = Pick<z.output<typeof meta>, 'filterableFields' | 'pagination'>;
export type CreateLocation = z.output<typeof createLocation>;

export type ApiErrorCause = z.output<typeof apiErrorCause>;
export type ApiErrorBody = z.output<typeof apiError>;
export type ErrorEnvelope = z.output<typeof apiErrorEnvelope>;
