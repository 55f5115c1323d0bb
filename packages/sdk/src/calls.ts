import type {
  ApiTree,
  CreateLocation,
  clientApi,
  Data,
  Input,
  ListMeta,
  managementApi,
  Operation,
} from '@edge-controller/shared-types';
import type { OperationRow, OperationTable } from './operation-row.ts';
import type { CallOptions } from './options.ts';

/** One page of a list. `meta.pagination` has the position of the page and the total number of rows. */
export interface ListPage<Row> {
  readonly data: Row[];
  readonly meta: ListMeta;
}

interface Results<D> {
  detail: D;
  list: ListPage<D>;
  create: CreateLocation;
  created: D;
  empty: undefined;
}

type PathArguments<Path> = Path extends `${string}{${string}}${infer Rest}` ? [string, ...PathArguments<Rest>] : [];
type Argument<A> = Record<never, never> extends A ? [A?] : [A];
type QueryArgument<I> = I extends { query: infer Q } ? Argument<Q> : [];
type HeadersArgument<I> = I extends { headers: infer H } ? Argument<H> : [];
type BodyArgument<I> = I extends { body: infer B } ? Argument<B> : [];

/**
 * The arguments of a call: path parameters, query, headers and body in the order of an HTTP request, then call options.
 */
export type CallArguments<O extends Operation> = [
  ...PathArguments<O['path']>,
  ...QueryArgument<Input<O>>,
  ...HeadersArgument<Input<O>>,
  ...BodyArgument<Input<O>>,
  CallOptions?,
];

/**
 * What a call resolves to: `data` of the response, `{data, meta}` for a list, the text of a document, the
 * value of a JSON document, a `Blob` for an image.
 */
export type CallResult<O extends Operation> = O extends { produces: readonly [infer Type, ...unknown[]] }
  ? DocumentOf<Type>
  : Results<Data<O>>[Exclude<O['result'], 'document'>];

type DocumentOf<Type> = Type extends `image/${string}`
  ? Blob
  : Type extends 'application/json'
    ? Record<string, unknown>
    : string;

/** The calls of one API: `resource.verb(…)` for every operation of the tree. */
export type Calls<T extends ApiTree> = {
  readonly [R in keyof T]: {
    readonly [V in keyof T[R]]: (...args: CallArguments<T[R][V]>) => Promise<CallResult<T[R][V]>>;
  };
};

export type ClientCalls = Calls<typeof clientApi>;
export type ManagementCalls = Calls<typeof managementApi>;

/** One call with its arguments assigned to path, headers, body and options. */
export interface PreparedCall {
  readonly row: OperationRow;
  /** Path below the API root, with its parameters filled in, and the query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly options: CallOptions;
}

/** Creates the calls of one API from its generated table. `perform` sends one call. */
export function makeCalls<C>(table: OperationTable, perform: (call: PreparedCall) => Promise<unknown>): C {
  const verbsOf = (verbs: Readonly<Record<string, OperationRow>>) =>
    mapValues(
      verbs,
      (row) =>
        async (...args: unknown[]) =>
          perform(prepare(row, args)),
    );
  return mapValues(table, verbsOf) as C;
}

function mapValues<A, B>(from: Readonly<Record<string, A>>, change: (value: A) => B): Record<string, B> {
  return Object.fromEntries(Object.entries(from).map(([key, value]) => [key, change(value)]));
}

function prepare(row: OperationRow, args: unknown[]): PreparedCall {
  const rest = [...args];
  const path = row.path.replace(/\{(\w+)\}/g, (_whole, name: string) => pathSegment(name, rest.shift()));
  const query = row.query === true ? queryString(rest.shift()) : '';
  const headers = row.headers === true ? requestHeaders(rest.shift()) : {};
  const body = row.body === true ? (rest.shift() ?? {}) : undefined;
  return { row, path: path + query, headers, body, options: (rest[0] ?? {}) as CallOptions };
}

function pathSegment(name: string, value: unknown): string {
  // An empty id or a dot segment would lead to another operation.
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..') {
    throw new TypeError(`the path parameter "${name}" must be a non-empty string`);
  }
  return encodeURIComponent(value);
}

function requestHeaders(headers: unknown): Record<string, string> {
  const given = Object.entries(headers ?? {}).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(given.map(([name, value]) => [name.toLowerCase(), headerValue(name, value)]));
}

function headerValue(name: string, value: unknown): string {
  // For other characters the platform throws an error that quotes the value, and the value may be a secret.
  if (typeof value !== 'string' || !/^[\x20-\x7e]*$/.test(value)) {
    throw new TypeError(`the header "${name}" must be a string of printable ASCII characters`);
  }
  return value;
}

function queryString(query: unknown): string {
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== null);
  // An array is sent as a repeated parameter.
  const pairs = given.flatMap(([key, value]) => [value].flat().map((one): [string, string] => [key, String(one)]));
  const text = new URLSearchParams(pairs).toString();
  return text === '' ? '' : `?${text}`;
}
