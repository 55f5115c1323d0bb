import type { z } from 'zod';

/** The path of a relation on the Client API, for the identity of the caller. */
export interface OnClientApi {
  /** The path of the list: `/services`. */
  readonly path: `/${string}`;
  /** The query of the list. Default: that of every list. */
  readonly query?: z.ZodObject;
  /** Whether one entity can be read, too: `/services/{id}`. */
  readonly get?: true;
}

interface Listed {
  /** False hides the list from the `_links` of the entity. */
  readonly link?: false;
  /** Only for identities: the caller gets this list on the Client API, too. */
  readonly client?: OnClientApi;
}

/** Other entities that belong to an entity: a link, and below `/parents/{id}` a list of them. */
export type Relation =
  | { readonly kind: 'link'; readonly while?: { readonly field: string; readonly is: boolean } }
  | { readonly kind: 'entityOf'; readonly field: string }
  | ({ readonly kind: 'belongsToMany'; readonly field: string } & Listed)
  | ({ readonly kind: 'hasMany'; readonly entity: string; readonly field: string } & Listed)
  | ({ readonly kind: 'selects'; readonly field: string } & Listed)
  | ({ readonly kind: 'selectedBy'; readonly policies: string; readonly field: string } & Listed)
  | ({
      readonly kind: 'selectedWith';
      readonly policies: string;
      readonly field: string;
      readonly others: string;
      /** The list can be limited to policies of one type. */
      readonly byType?: true;
    } & Listed);

/** By the name of the link, which is the last part of the path: `service-policies`. */
export type Relations = Readonly<Record<string, Relation>>;

/** Only a link to `/parents/{id}/name`, without an operation that lists entities. */
export function link() {
  return { kind: 'link' } as const;
}

/** Like `link`, but shown only while a boolean field has this value. */
export function linkWhile<const F extends string, const B extends boolean>(field: F, is: B) {
  return { kind: 'link', while: { field, is } } as const;
}

/** A link to the entity whose id is in a reference field. */
export function entityOf<const F extends string>(field: F) {
  return { kind: 'entityOf', field } as const;
}

/** The entities whose ids are in a field of this entity, made with `references`. */
export function belongsToMany<const F extends string>(field: F) {
  return { kind: 'belongsToMany', field } as const;
}

/** The entities that name this one in a field, made with `reference` or `references`. */
export function hasMany<const E extends string, const F extends string>(entity: E, field: F) {
  return { kind: 'hasMany', entity, field } as const;
}

/** Of a policy: the entities that the roles in a field select. */
export function selects<const F extends string>(field: F) {
  return { kind: 'selects', field } as const;
}

/** The policies whose roles in a field select this entity. */
export function selectedBy<const E extends string, const F extends string>(policies: E, field: F) {
  return { kind: 'selectedBy', policies, field } as const;
}

/**
 * The entities that one policy selects together with this one.
 *
 * @param field the roles that select this entity
 * @param others the roles that select the entities of the list
 */
export function selectedWith<const E extends string, const F extends string, const O extends string>(
  policies: E,
  field: F,
  others: O,
) {
  return { kind: 'selectedWith', policies, field, others } as const;
}
