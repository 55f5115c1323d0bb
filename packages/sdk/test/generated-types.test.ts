import type {
  ApiTree,
  clientApi,
  Data,
  ErrorEnvelope,
  Input,
  managementApi,
  Operation,
} from '@edge-controller/shared-types';
import { test } from 'vitest';
import type { CallOptions } from '../src/api/call-options.ts';
import type {
  ApiErrorEnvelope,
  ClientCalls,
  CreateLocation,
  EdgeErrorCode,
  ListPage,
  ManagementCalls,
} from '../src/index.ts';

/** Requires every member, so that a missing optional member counts, too. */
type Complete<T> = T extends object
  ? { [K in keyof T]-?: Complete<T[K]> | (undefined extends T[K] ? undefined : never) }
  : T;
type Assignable<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;
type Same<A, B> = Assignable<A, B> extends true ? Assignable<Complete<A>, Complete<B>> : false;

type PathArguments<Path> = Path extends `${string}{${string}}${infer Rest}` ? [string, ...PathArguments<Rest>] : [];
type Argument<I, K> = K extends keyof I ? (Record<never, never> extends I[K] ? [(I[K] | undefined)?] : [I[K]]) : [];
type Arguments<O extends Operation> = [
  ...PathArguments<O['path']>,
  ...Argument<Input<O>, 'query'>,
  ...Argument<Input<O>, 'headers'>,
  ...Argument<Input<O>, 'body'>,
  (CallOptions | undefined)?,
];
type DocumentOf<Type> = Type extends `image/${string}`
  ? Blob
  : Type extends 'application/json'
    ? Record<string, unknown>
    : string;
interface Results<D> {
  detail: D;
  list: ListPage<D>;
  create: CreateLocation;
  created: D;
  empty: undefined;
}
type Result<O extends Operation> = O extends { produces: readonly [infer Type, ...unknown[]] }
  ? DocumentOf<Type>
  : Results<Data<O>>[Exclude<O['result'], 'document'>];

/** A sign-in is more than its request: only `edge.signIn` makes it. */
type Offered<Tree> = { [R in keyof Tree]: R extends 'authentication' ? Omit<Tree[R], 'authenticate'> : Tree[R] };

/** The names of the calls whose generated types differ from the types that zod infers. */
type Different<Calls, Tree extends ApiTree> = {
  [R in keyof Tree]: {
    [V in keyof Tree[R]]: Calls extends Record<R, Record<V, (this: void, ...args: infer A) => Promise<infer Value>>>
      ? [Same<A, Arguments<Tree[R][V]>>, Same<Value, Result<Tree[R][V]>>] extends [true, true]
        ? never
        : `${string & R}.${string & V}`
      : `${string & R}.${string & V}`;
  }[keyof Tree[R]];
}[keyof Tree];

/** The names of all calls. */
type Names<Tree> = { [R in keyof Tree]: `${string & R}.${string & keyof Tree[R]}` }[keyof Tree];

/** The text is the message of the compiler. */
type State<Difference> = [Difference] extends [never]
  ? 'up to date'
  : `${Difference & string} differs from its schemas: run \`npm run generate\``;

function expectState<_State extends 'up to date'>() {}
function expectTrue<_Fact extends true>() {}

test('the generated types are those of the schemas', () => {
  expectState<State<Different<ClientCalls, Offered<typeof clientApi>>>>();
  expectState<State<Different<ManagementCalls, Offered<typeof managementApi>>>>();
  expectTrue<Assignable<Names<ClientCalls>, Names<Offered<typeof clientApi>>>>();
  expectTrue<Assignable<Names<ManagementCalls>, Names<Offered<typeof managementApi>>>>();
  expectTrue<Same<ApiErrorEnvelope, ErrorEnvelope>>();
  expectTrue<'NOT_FOUND' extends EdgeErrorCode ? true : false>();
});
