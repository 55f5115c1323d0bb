import { z } from 'zod';
import { define } from './definitions.ts';
import { entityRef } from './envelope.ts';

/** Name of a member (`serviceId`) → name of the entities that it has the ids of (`services`). */
type Members = Readonly<Record<string, string>>;

interface Described {
  /** Singular, camel case: `serviceConfig`. The names of its definitions begin with it. */
  readonly noun: string;
  readonly members: Members;
  /** The member that is assigned. The others say what it is assigned for. */
  readonly value: string;
  /**
   * A reference field of the assigned entities, such as `configTypeId`. Of entities with the same value, only one is assigned
   * for a third entity: a later one replaces it.
   */
  readonly onePer?: string | undefined;
}

/** Gives an entity other entities, each for a third one: an identity gets a config for a service. */
export interface AnyAssignment extends Described {
  /** One assignment in a list. */
  readonly detail: z.ZodObject;
  /** One assignment in a request. */
  readonly assign: z.ZodObject;
}

type RefName<N> = N extends `${infer Name}Id` ? Name : never;

export interface Assignment<D extends Described> extends AnyAssignment {
  readonly members: D['members'];
  readonly value: D['value'];
  readonly onePer: D extends { readonly onePer: infer O extends string } ? O : undefined;
  readonly detail: z.ZodObject<
    { -readonly [N in keyof D['members']]: z.ZodString } & {
      -readonly [N in keyof D['members'] as RefName<N>]: typeof entityRef;
    }
  >;
  readonly assign: z.ZodObject<{ -readonly [N in keyof D['members']]: z.ZodString }>;
}

/** Describes what can be assigned to an entity. `assigned` makes a relation of it. */
export function assignment<const D extends Described>(given: D & { value: keyof D['members'] }): Assignment<D> {
  const { noun, members }: Described = given;
  const names = Object.keys(members);
  const ids = Object.fromEntries(names.map((name) => [name, z.string()]));
  const refs = Object.fromEntries(names.map((name) => [name.slice(0, -2), entityRef]));
  const schemas = {
    detail: define(`${noun}Detail`, z.object({ ...ids, ...refs })),
    assign: define(`${noun}Assign`, z.object(ids)),
  };
  return { ...given, ...schemas } as unknown as Assignment<D>;
}
