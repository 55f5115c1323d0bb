import { z } from 'zod';
import { define } from './definitions.ts';
import { oneOf } from './one-of.ts';

/** Date and time in RFC 3339, UTC, milliseconds: `2026-01-02T03:04:05.678Z`. */
export const dateTime = z.string().meta({ format: 'date-time' });

/** Bytes of a JSON object that the server stores as it was sent. */
const maxObjectBytes = 65_536;

/** A JSON object of any depth, at most 64 KiB as JSON text in UTF-8. */
export const anyObject = z.record(z.string(), z.any()).refine(isSmall, { error: 'is longer than 65536 bytes' });

/** Why a value is refused that is not a JSON object, where `freeObject` wants one. */
export const notAnObject = 'invalid type, expected object';

/** As `anyObject`. Another JSON type is an error of this field; elsewhere the whole body then counts as unreadable. */
export const freeObject = z
  .record(z.string(), z.any(), { error: notAnObject })
  .refine(isSmall, { error: 'is longer than 65536 bytes' });

/** Keys and values of an entity, at most 64 KiB. A value is a string, a number, a boolean or null. */
export const tags = define(
  'tags',
  z.record(z.string().min(1), z.any()).refine(isSmall, { error: 'is longer than 65536 bytes' }),
);

function isSmall(object: object): boolean {
  return new TextEncoder().encode(JSON.stringify(object)).length <= maxObjectBytes;
}

/** Where an entity or a list is, relative to the root of the API. */
export const link = define('link', z.object({ href: z.string() }));
/** Links by the name of their relation. `self` is the entity itself. */
export const links = define('links', z.record(z.string(), link));

/** A reference to another entity. `entity` is the name of its collection. */
export const entityRef = define(
  'entityRef',
  z.object({ _links: links, entity: z.string(), id: z.string(), name: z.string().optional() }),
);

/** A role of a policy as people read it. */
const namedRole = define(
  'namedRole',
  z.object({
    /** The role as the policy has it. */
    role: z.string(),
    /** `@name` for `@id`, else the role itself. */
    name: z.string(),
  }),
);
export const namedRoles = z.array(namedRole);

/** Members that every entity has on the wire. */
export const baseEntity = {
  id: z.string(),
  /** RFC 3339, UTC. */
  createdAt: dateTime,
  /** RFC 3339, UTC. */
  updatedAt: dateTime,
  tags,
  _links: links,
};

export const idParams = z.object({ id: z.string() });

/**
 * Query of every list. `limit`: default 10, maximum 500, -1 for all. With -1 and an `offset` above 0 the list is empty.
 * `filter` and `sort` use the query language.
 */
export const listQuery = z.object({
  /** Rows of a page. Default 10, maximum 500, -1 for all. */
  limit: z.coerce.number().int().optional(),
  /** The first row. Default 0. */
  offset: z.coerce.number().int().optional(),
  /** A condition of the query language: `name contains "sensor" and isAdmin = false`. */
  filter: z.string().optional(),
  /** Symbols with `asc` (default) or `desc`: `name desc, createdAt`. */
  sort: z.string().optional(),
});

/**
 * Query of a list of entities that have role attributes. `roleFilter` selects by `#attribute` and `@id`, as the roles
 * of a policy do. `roleSemantic`: `AllOf` (default) or `AnyOf` of the attributes.
 */
export const roleListQuery = listQuery.extend({
  /** `#attribute` and `@id`. */
  roleFilter: z.array(z.string()).optional(),
  /** `AllOf` (default) or `AnyOf` of the attributes. */
  roleSemantic: oneOf('AllOf', 'AnyOf').optional(),
});

/** Query of a list of role attributes. In both parameters, `id` is the attribute. Other symbols of `sort` are ignored. */
export const attributeQuery = listQuery.pick({ filter: true, sort: true });

/** Query of a list of what policies of several types select together with an entity. */
export const policyTypeQuery = listQuery.extend({
  /** Only what policies of this type select. Default: of any. */
  policyType: z.enum(['dial', 'bind']).optional(),
});

/** The position of a page in its list. */
export const pagination = define(
  'pagination',
  z.object({
    limit: z.number(),
    offset: z.number(),
    /** Rows of the whole list. */
    totalCount: z.number(),
  }),
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
    /** The refused member of the request. */
    field: z.string().optional(),
    /** Why it was refused. */
    reason: z.string().optional(),
    /** What was sent. */
    value: z.string().optional(),
    code: z.string().optional(),
    message: z.string().optional(),
    data: z.any().optional(),
  }),
);

/** `error` of the error envelope. */
export const apiError = define(
  'apiError',
  z.object({
    /** Code of the error catalogue. */
    code: z.string(),
    /** All errors with one code have the same message. */
    message: z.string(),
    /** The id of the request in the logs of the controller. */
    requestId: z.string(),
    cause: apiErrorCause.optional(),
  }),
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
