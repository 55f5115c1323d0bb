import { z } from 'zod';
import type { AnyAssignment } from './assignment.ts';
import type { AnyContract } from './entity.ts';
import { idParams } from './envelope.ts';
import type { Operation } from './operation.ts';
import type { CamelCase } from './operation-names.ts';
import { camelCase, permissionOf, wordsOf } from './operation-names.ts';

type Assigned<E extends AnyContract, N extends string, R> = R extends {
  kind: 'assigned';
  assignment: infer A extends AnyAssignment;
  readOnly: infer O;
}
  ? Pick<
      ReturnType<typeof assignmentOperations<E, N, A>>,
      CamelCase<N> | (O extends true ? never : `${'assign' | 'remove'}${Capitalize<CamelCase<N>>}`)
    >
  : Record<never, never>;
type Joined<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer All) => void ? All : never;
/** The operations that list, assign and remove what is assigned to an entity. */
export type Assignments<C extends AnyContract> = Joined<
  { [N in keyof C['relations'] & string]: Assigned<C, N, C['relations'][N]> }[keyof C['relations'] & string]
>;

/** A relation that assigns entities. */
export interface AssignedEntities {
  /** The name of the link. */
  readonly name: string;
  /** The name of the operation that lists them. */
  readonly verb: string;
  readonly assignment: AnyAssignment;
  readonly readOnly: boolean;
}

/** The relations of an entity that assign others. */
export function assignedTo({ relations }: AnyContract): AssignedEntities[] {
  return Object.entries(relations).flatMap(([name, relation]) => {
    if (relation.kind !== 'assigned') return [];
    return [{ name, verb: camelCase(name), assignment: relation.assignment, readOnly: relation.readOnly }];
  });
}

/** The names of the operations that assign and remove. */
export function assignmentVerbs<V extends string>(verb: V) {
  const name = `${verb.charAt(0).toUpperCase()}${verb.slice(1)}` as Capitalize<V>;
  return { assign: `assign${name}`, remove: `remove${name}` } as const;
}

/** How many can be assigned or removed at once. */
const maxAssigned = 500;

export function assignmentOperations<P extends AnyContract, N extends string, A extends AnyAssignment>(
  owner: P,
  name: N,
  assignment: A,
) {
  const collection: P['collection'] = owner.collection;
  const path: `/${P['collection']}/{id}/${N}` = `/${collection}/{id}/${name}`;
  const verb = camelCase(name) as CamelCase<N>;
  const verbs = assignmentVerbs(verb);
  const [noun, names] = [wordsOf(owner.noun), name.replaceAll('-', ' ')];
  const list = {
    method: 'GET',
    path,
    access: 'admin',
    permission: permissionOf(owner, 'list'),
    result: 'list',
    params: idParams,
    response: assignment.detail as A['detail'],
    summary: `Lists the ${names} of one ${noun}`,
  } as const satisfies Operation;
  const change = {
    path,
    access: 'admin',
    permission: permissionOf(owner, 'patch'),
    result: 'empty',
    params: idParams,
    body: z.array(assignment.assign as A['assign']).max(maxAssigned),
  } as const;
  const assign = { ...change, method: 'POST', summary: `Assigns ${names} to one ${noun}` } as const;
  const remove = { ...change, method: 'DELETE', summary: `Removes ${names} from one ${noun}` } as const;
  const operations = { [verb]: list, [verbs.assign]: assign, [verbs.remove]: remove };
  return operations as { readonly [V in CamelCase<N>]: typeof list } & {
    readonly [V in (typeof verbs)['assign']]: typeof assign;
  } & { readonly [V in (typeof verbs)['remove']]: typeof remove };
}
