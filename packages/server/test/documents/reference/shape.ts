import { isDeepStrictEqual } from 'node:util';
import type { Definitions, Schema } from './digest.ts';

/** A schema and the place where its document declares it: `identityDetail.type`. */
export interface Place {
  readonly schema: Schema;
  readonly at: string;
}

/** A schema with everything that it refers to, one level deep. */
export interface Shape {
  /** The definition, or the place of a schema that is none. */
  readonly name: string;
  /** `any` when the document does not say it. */
  readonly type: string;
  readonly isNullable: boolean;
  readonly enum: readonly unknown[] | undefined;
  readonly format: string | undefined;
  readonly members: ReadonlyMap<string, Place>;
  readonly required: ReadonlySet<string>;
  /** The elements of an array. */
  readonly items: Place | undefined;
  /** The members that have no name in the document; true: they can be anything. */
  readonly rest: Place | boolean;
}

/** True when an object may have members of which the document does not say anything. It often does not say what is in an object. */
export function isOpen({ members, rest }: Shape): boolean {
  return rest === true || (members.size === 0 && !rest);
}

/** The schemas of one document. */
export class Shapes {
  readonly #definitions: Definitions;
  readonly #known = new WeakMap<Schema, Shape>();

  constructor(definitions: Definitions) {
    this.#definitions = definitions;
  }

  /** Of parts that describe one member, the last one counts. Shapes are kept: each row of a list needs the same one. */
  of({ schema, at }: Place): Shape {
    const known = this.#known.get(schema);
    if (known) return known;
    const { $ref, allOf = [] } = schema;
    const parts = allOf.map((part) => this.of({ schema: part, at }));
    const shape =
      $ref === undefined ? parts.reduceRight(join, ownShape({ schema, at })) : this.#ofDefinition(nameOf($ref));
    this.#known.set(schema, shape);
    return shape;
  }

  #ofDefinition(name: string): Shape {
    const schema = this.#definitions[name];
    if (!schema) throw new Error(`there is no definition ${name}`);
    const shape = this.of({ schema, at: name });
    const added = schema.discriminator ? this.#membersOfKinds(name) : [];
    return { ...shape, members: new Map([...withoutSchema(shape), ...added, ...shape.members]) };
  }

  /** The members that only the definitions have that extend this one. Nothing is known of a member that differs between them. */
  #membersOfKinds(base: string): (readonly [string, Place])[] {
    const isBase = ({ $ref = '' }: Schema) => nameOf($ref) === base;
    const extending = Object.entries(this.#definitions).filter(([, { allOf }]) => allOf?.some(isBase));
    const members = extending.flatMap(([at, { allOf = [] }]) =>
      allOf.filter((part) => !isBase(part)).flatMap((schema) => [...this.of({ schema, at }).members]),
    );
    return [...Map.groupBy(members, ([name]) => name)].map(([name, places]) => {
      const [[, first]] = places as [(typeof places)[0]];
      const isOne = places.every(([, { schema }]) => isDeepStrictEqual(schema, first.schema));
      return [name, isOne ? first : { schema: {}, at: `${base}.${name}` }];
    });
  }
}

/** The members that a definition requires and does not describe. */
function withoutSchema({ name, required }: Shape): (readonly [string, Place])[] {
  return [...required].map((member) => [member, { schema: {}, at: `${name}.${member}` }]);
}

function nameOf($ref: string): string {
  return $ref.slice('#/definitions/'.length);
}

function ownShape({ schema, at }: Place): Shape {
  const { type, properties = {}, required = [], items, additionalProperties: rest } = schema;
  return {
    name: at,
    type: type ?? (schema.properties || rest !== undefined ? 'object' : 'any'),
    isNullable: schema['x-nullable'] === true,
    enum: schema.enum,
    format: schema.format,
    members: new Map(
      Object.entries(properties).map(([name, member]) => [name, { schema: member, at: `${at}.${name}` }]),
    ),
    required: new Set(required),
    items: items && { schema: items, at: `${at}[]` },
    rest: typeof rest === 'object' ? { schema: rest, at: `${at}{}` } : (rest ?? false),
  };
}

/** What the first says counts, and all that only the second says. */
function join(first: Shape, second: Shape): Shape {
  return {
    name: first.name,
    type: first.type === 'any' ? second.type : first.type,
    isNullable: first.isNullable || second.isNullable,
    enum: first.enum ?? second.enum,
    format: first.format ?? second.format,
    members: new Map([...second.members, ...first.members]),
    required: new Set([...first.required, ...second.required]),
    items: first.items ?? second.items,
    rest: first.rest || second.rest,
  };
}
