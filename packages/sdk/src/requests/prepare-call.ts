import type { OperationRow } from '../calls/operation-row.ts';
import type { PreparedCall } from '../calls/prepared-call.ts';
import { checkNames } from '../lib/check-names.ts';
import { didYouMean } from '../lib/did-you-mean.ts';
import type { Api } from './controller-url.ts';
import { clientOperations, managementOperations } from './generated/operations.ts';

interface CallName {
  readonly api: Api;
  readonly resource: string;
  readonly verb: string;
}

/**
 * Finds an operation and assigns the arguments of its call to path, query, headers, body and options.
 *
 * @throws TypeError for an unknown operation and for arguments in the wrong places.
 */
export function prepareCall({ api, resource, verb }: CallName, args: readonly unknown[]): PreparedCall {
  if (verb === 'authenticate') {
    throw new TypeError(`edge.${api}.${resource}.authenticate would not sign the client in: use edge.signIn`);
  }
  const table = api === 'client' ? clientOperations : managementOperations;
  const row = memberOf(memberOf(table, resource, `edge.${api}`), verb, `edge.${api}.${resource}`);
  const places = placesOf(row);
  checkArguments(verb, places, args);
  checkNames(args[places.length - 1] ?? {}, ['signal', 'timeout'], 'option');
  const given = new Map(places.map((place, at) => [place, args[at]]));
  const path = row.path.replace(/\{(\w+)\}/g, (_whole, name: string) => pathSegment(name, given.get(name)));
  return {
    row,
    path: path + (row.query ? queryString(given.get('query')) : ''),
    headers: row.headers ? requestHeaders(given.get('headers')) : {},
    body: row.body ? (given.get('body') ?? {}) : undefined,
    options: given.get('options') ?? {},
  };
}

function memberOf<T>(members: Readonly<Record<string, T>>, name: string, owner: string): T {
  const member = Object.hasOwn(members, name) ? members[name] : undefined;
  if (member === undefined) throw new TypeError(`${owner} has no "${name}"${didYouMean(name, Object.keys(members))}`);
  return member;
}

/** What the arguments are, in their order. */
function placesOf({ path, query, headers, body }: OperationRow): string[] {
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name);
  return [...names, ...(query ? ['query'] : []), ...(headers ? ['headers'] : []), ...(body ? ['body'] : []), 'options'];
}

function checkArguments(verb: string, places: readonly string[], args: readonly unknown[]): void {
  if (args.length > places.length) throw new TypeError(`too many arguments: ${verb}(${places.join(', ')})`);
  for (const [at, place] of places.entries()) {
    const value = args[at];
    if (value === undefined || value === null) continue;
    if (['query', 'headers', 'options'].includes(place) && typeof value !== 'object') {
      throw new TypeError(`"${place}" must be an object: ${verb}(${places.join(', ')})`);
    }
    if (place !== 'options' && isCallOptions(value)) {
      const before = places.slice(0, -1).map((name) => (['query', 'headers', 'body'].includes(name) ? '{}' : name));
      throw new TypeError(`options go after the ${place}: ${verb}(${[...before, '{ signal }'].join(', ')})`);
    }
  }
}

/** No query and no header is named `signal` or `timeout`. */
function isCallOptions(value: unknown): boolean {
  return typeof value === 'object' && value !== null && ('signal' in value || 'timeout' in value);
}

function pathSegment(name: string, value: unknown): string {
  // An empty id or a dot segment would lead to another operation.
  if (typeof value !== 'string' || value === '' || value === '.' || value === '..') {
    throw new TypeError(`the path parameter "${name}" must be a non-empty string`);
  }
  return encodeURIComponent(value);
}

function requestHeaders(headers: unknown): Record<string, string> {
  return Object.fromEntries(given(headers).map(([name, value]) => [name.toLowerCase(), headerValue(name, value)]));
}

function headerValue(name: string, value: unknown): string {
  // For other characters the platform throws an error that quotes the value, and the value may be a secret.
  if (typeof value !== 'string' || !/^[\x20-\x7e]*$/.test(value)) {
    throw new TypeError(`the header "${name}" must be a string of printable ASCII characters`);
  }
  return value;
}

function queryString(query: unknown): string {
  // An array is sent as a repeated parameter.
  const pairs = given(query).flatMap(([key, value]) =>
    [value].flat().map((one): [string, string] => [key, String(one)]),
  );
  const text = new URLSearchParams(pairs).toString();
  return text === '' ? '' : `?${text}`;
}

/** The members that have a value. */
function given(members: unknown): [name: string, value: unknown][] {
  return Object.entries(members ?? {}).filter(([, value]) => value !== undefined && value !== null);
}
