import { z } from 'zod';
import { define, definitions } from './definitions.ts';
import { entityRef, namedRoles } from './envelope.ts';

/** The request bodies of an entity. */
export type Body = 'create' | 'update' | 'patch';
/** How a request body takes a field. `none`: the body has no such member, so it is ignored. */
type Presence = 'required' | 'optional' | 'none';
/**
 * How the detail shows a field. `nullable`: as null when it has no value. `optional`: not at all when it has no value
 * or is false.
 */
type Shown = 'always' | 'nullable' | 'optional' | 'none';
/**
 * What a field is.
 *
 * - `value`: a value
 * - `group`: an object whose members PATCH merges one by one
 * - `reference`: the id of another entity, named `xId`; the detail adds its `entityRef` as `x`
 * - `references`: ids of other entities
 * - `attributes`: role attributes
 * - `roles`: what a policy selects: `#attribute`, `@id`, `#all`
 * - `derived`: computed for each response, not stored
 * - `input`: accepted in a request, neither stored nor shown
 */
type Kind = 'value' | 'group' | 'reference' | 'references' | 'attributes' | 'roles' | 'derived' | 'input';

/** One field of an entity: everything that the wire knows about it. */
export interface Field {
  readonly kind: Kind;
  readonly schema: z.ZodType;
  /** The schema of a request body, where it differs. */
  readonly sent?: { readonly [B in Body]?: z.ZodType };
  /** The schema of the detail, where it differs. */
  readonly shown?: z.ZodType;
  readonly create: Presence;
  readonly update: Presence;
  readonly patch: Presence;
  readonly detail: Shown;
  /** The value when POST or PUT leaves the field out. For a field that the server sets: its initial value. */
  readonly default?: unknown;
  /**
   * No two entities have the same value. With `with`: no two entities have the same value both here and in the field that it
   * names.
   */
  readonly unique?: true | { readonly with: string };
  /**
   * Symbols of filters. A group has one for each member (`primary.updb.maxAttempts`), a reference may have one for a field
   * of the other entity (`service.name`).
   */
  readonly filter: readonly string[];
  /** The key of the entity that a reference, references or roles lead to. */
  readonly to?: string;
  /** Of roles: the field that says `AllOf` or `AnyOf`. */
  readonly semantic?: string;
  /** The name in request bodies, where it differs. */
  readonly body?: string;
  /** The JSON schema of the value: a reference, and the field of the other entity that has it (`configTypeId.schema`). */
  readonly describedBy?: string;
  /** What a form begins with, when the other value is less safe. `otherwise`: what the other value means, as a sentence. */
  readonly safe?: { readonly value: boolean; readonly otherwise: string };
  /** While the field is true, only the controller itself changes and deletes the entity. */
  readonly protects?: true;
  /** Who holds the value can prove something with it: neither events nor the audit log show it. */
  readonly secret?: true;
}

export type Fields = Readonly<Record<string, Field>>;

/** The longest text that is unique: PostgreSQL cannot index longer ones. */
const maxUniqueLength = 500;
/** Elements of a set. */
const maxElements = 500;

/** A text that can be unique. */
export const uniqueText = z.string().max(maxUniqueLength);
/** `AllOf`: an entity needs every `#` role of the policy. `AnyOf`: one is enough. */
export const semantic = z.enum(['AllOf', 'AnyOf']);

type Filter = readonly string[];
type Made<
  K extends Kind,
  S,
  C extends Presence,
  U extends Presence,
  P extends Presence,
  D extends Shown,
  X extends Filter = [],
> = {
  readonly kind: K;
  readonly schema: S;
  readonly create: C;
  readonly update: U;
  readonly patch: P;
  readonly detail: D;
  readonly filter: X;
};

/** POST and PUT must send it. */
export function required<S extends z.ZodType, const X extends Filter>(
  schema: S,
  ...filter: X
): Made<'value', S, 'required', 'required', 'optional', 'always', X> {
  return { kind: 'value', schema, create: 'required', update: 'required', patch: 'optional', detail: 'always', filter };
}

/** POST and PUT may leave it out. It then has its default. */
export function optional<S extends z.ZodType, const X extends Filter>(
  schema: S,
  byDefault: z.output<S>,
  ...filter: X
): Made<'value', S, 'optional', 'optional', 'optional', 'always', X> & { readonly default: z.output<S> } {
  const presence = { create: 'optional', update: 'optional', patch: 'optional' } as const;
  return { kind: 'value', schema, ...presence, detail: 'always', filter, default: byDefault };
}

/** POST and PUT may leave it out. It is then null. */
export function nullable<S extends z.ZodType, const X extends Filter>(
  schema: S,
  ...filter: X
): Made<'value', S, 'optional', 'optional', 'optional', 'nullable', X> {
  const presence = { create: 'optional', update: 'optional', patch: 'optional' } as const;
  return { kind: 'value', schema, ...presence, detail: 'nullable', filter };
}

/** POST must send it. It never changes afterwards. */
export function immutable<S extends z.ZodType, const X extends Filter>(
  schema: S,
  ...filter: X
): Made<'value', S, 'required', 'none', 'none', 'always', X> {
  return { ...required(schema, ...filter), update: 'none', patch: 'none' };
}

/** Set by the server, never by a request. It begins with `byDefault`: null if the detail may leave it out. */
export function serverSet<S extends z.ZodType, const D extends Shown, const X extends Filter>(
  schema: S,
  detail: D,
  byDefault: z.output<S> | (D extends 'nullable' | 'optional' ? null : never),
  ...filter: X
): Made<'value', S, 'none', 'none', 'none', D, X> & { readonly default: unknown } {
  return { kind: 'value', schema, create: 'none', update: 'none', patch: 'none', detail, filter, default: byDefault };
}

/** A name that no other entity of the type has. */
export const uniqueName = { ...required(uniqueText, 'name'), unique: true } as const;

/** Whether the controller has made the entity. No request changes or deletes it then. */
export const isSystem = { ...serverSet(z.boolean(), 'always', false, 'isSystem'), protects: true } as const;

const largestInteger = 2 ** 31 - 1;

/**
 * The version of a CA or signer. The server raises it to end the API sessions of all sign-ins through this CA or
 * signer.
 */
export const authVersion = serverSet(z.number().int().min(0).max(largestInteger), 'none', 0);

/** The server computes it for each response. */
export function derived<S extends z.ZodType>(schema: S): Made<'derived', S, 'none', 'none', 'none', 'always'> {
  return { kind: 'derived', schema, create: 'none', update: 'none', patch: 'none', detail: 'always', filter: [] };
}

/** POST may send it. It is not stored. */
export function input<S extends z.ZodType>(schema: S): Made<'input', S, 'optional', 'none', 'none', 'none'> {
  return { kind: 'input', schema, create: 'optional', update: 'none', patch: 'none', detail: 'none', filter: [] };
}

/** The id of another entity. `filter`: symbols for the id (`owner`) and for fields of the other entity (`owner.name`). */
export function reference<const T extends string, const X extends Filter>(to: T, ...filter: X) {
  return { ...required(z.string(), ...filter), kind: 'reference', to } as const;
}

/** Ids of other entities. The detail shows null when there are none. */
export function references<const T extends string, const X extends Filter>(to: T, ...filter: X) {
  return { ...nullable(z.array(z.string()).max(maxElements), ...filter), kind: 'references', to } as const;
}

/** Role attributes, which roles of policies select. `always`: the detail shows `[]` when there are none. */
export function attributes<const D extends 'always' | 'nullable'>(detail: D) {
  const schema = z.array(z.string().min(1).max(maxUniqueLength)).max(maxElements);
  return { ...nullable(schema, 'roleAttributes'), kind: 'attributes', detail } as const;
}

/**
 * What a policy selects: `#attribute`, `@id` or `#all`. The detail also has the roles with names, as `xRolesDisplay`.
 *
 * @param options `semantic`: the field that says `AllOf` or `AnyOf`
 */
export function roles<const T extends string, const M extends string>(to: T, options: { readonly semantic: M }) {
  const schema = z.array(z.string().max(maxUniqueLength + '#'.length)).max(maxElements);
  return { ...nullable(schema), kind: 'roles', to, semantic: options.semantic } as const;
}

type PatchShape<Shape> = { -readonly [N in keyof Shape]: Maybe<PatchOf<Bare<Shape[N]>>> };
type PatchOf<S> = S extends z.ZodObject<infer Shape> ? z.ZodObject<PatchShape<Shape>> : S;
type Bare<S> = S extends z.ZodOptional<infer Inner> | z.ZodNullable<infer Inner> ? Bare<Inner> : S;

/** The members of an object at every depth: `updb`, `updb.maxAttempts`. */
type PathIn<T> = T extends readonly unknown[]
  ? never
  : T extends object
    ? { [N in keyof T & string]: N | `${N}.${PathIn<NonNullable<T[N]>>}` }[keyof T & string]
    : never;

/** An object whose members PATCH merges one by one, at every depth. `filter`: `primary.updb.maxAttempts`. */
export function group<
  Shape extends z.core.$ZodLooseShape,
  const X extends readonly `${string}.${PathIn<z.output<z.ZodObject<Shape>>>}`[],
>(schema: z.ZodObject<Shape>, ...filter: X) {
  const sent = { patch: patchOf(schema) as unknown as z.ZodObject<PatchShape<Shape>> };
  return { ...required(schema, ...filter), kind: 'group', sent } as const;
}

/** The schema of an object in a PATCH body: every member may be absent or null. It is registered as `<name>Patch`. */
function patchOf(schema: z.ZodType): z.ZodType {
  if (!(schema instanceof z.ZodObject)) return schema;
  const members = Object.entries(schema.shape as Record<string, z.ZodType>);
  const patch = z.object(Object.fromEntries(members.map(([name, member]) => [name, patchOf(bare(member)).nullish()])));
  const id = definitions.get(schema)?.id;
  return id === undefined ? patch : define(`${id}Patch`, patch);
}

/** A schema without `optional` and `nullable`. */
export function bare(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodNullable
    ? bare(schema.unwrap() as z.ZodType)
    : schema;
}

type Schema<E> = E extends { schema: infer S } ? S : never;
type Sent<E, B extends Body> = E extends { sent: { [K in B]: infer S } } ? S : Schema<E>;
type Maybe<S> = S extends z.ZodType ? z.ZodOptional<z.ZodNullable<S>> : never;
type BodyName<E, N> = E extends { body: infer B extends string } ? B : N;

/** The members of a request body. */
export type BodyShape<F extends Fields, B extends Body> = {
  -readonly [N in keyof F as F[N][B] extends 'none' ? never : BodyName<F[N], N>]: F[N][B] extends 'required'
    ? Sent<F[N], B>
    : Maybe<Sent<F[N], B>>;
};

type ShownSchema<S, D> = S extends z.ZodType
  ? D extends 'always'
    ? S
    : D extends 'nullable'
      ? z.ZodNullable<S>
      : z.ZodOptional<S>
  : never;
type RefName<N> = N extends `${infer Name}Id` ? Name : never;
type DisplayName<N> = N extends string ? `${N}Display` : never;

/** The members of the detail. */
export type DetailShape<F extends Fields> = {
  -readonly [N in keyof F as F[N]['detail'] extends 'none' ? never : N]: ShownSchema<
    F[N] extends { shown: infer S } ? S : Schema<F[N]>,
    F[N]['detail']
  >;
} & {
  -readonly [N in keyof F as F[N] extends { kind: 'reference'; detail: 'always' | 'nullable' | 'optional' }
    ? RefName<N>
    : never]: F[N]['detail'] extends 'always' ? typeof entityRef : z.ZodOptional<typeof entityRef>;
} & {
  -readonly [N in keyof F as F[N] extends { kind: 'roles' } ? DisplayName<N> : never]: typeof namedRoles;
};

export function bodyShape<F extends Fields, B extends Body>(fields: F, body: B): BodyShape<F, B> {
  const members = Object.entries(fields).flatMap(([name, field]) => {
    if (field[body] === 'none') return [];
    const schema = field.sent?.[body] ?? field.schema;
    return [[field.body ?? name, field[body] === 'required' ? schema : schema.nullish()]];
  });
  return Object.fromEntries(members) as BodyShape<F, B>;
}

export function detailShape<F extends Fields>(fields: F): DetailShape<F> {
  const members = Object.entries(fields).flatMap(([name, { detail, kind, schema, shown = schema }]) => {
    if (detail === 'none') return [];
    const own = detail === 'always' ? shown : detail === 'nullable' ? shown.nullable() : shown.optional();
    const entry = [name, own];
    if (kind === 'roles') return [entry, [`${name}Display`, namedRoles]];
    if (kind !== 'reference') return [entry];
    return [entry, [name.slice(0, -2), detail === 'always' ? entityRef : entityRef.optional()]];
  });
  return Object.fromEntries(members) as DetailShape<F>;
}
