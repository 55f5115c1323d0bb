// Generates the table of operations of the SDK from the API trees.
import { isDeepStrictEqual } from 'node:util';
import type { OperationRow } from '../packages/sdk/src/calls/operation-row.ts';
import { readOperations } from '../packages/sdk/src/requests/read-operations.ts';
import type { ApiTree, Operation } from '../packages/shared-types/src/index.ts';
import { clientApi, managementApi } from '../packages/shared-types/src/index.ts';
import { writeFiles } from './generate/write-files.ts';

const methods = { GET: 'G', POST: 'P', PUT: 'U', PATCH: 'A', DELETE: 'D' };
const results = { list: 'l', detail: 'd', empty: 'e', document: 'f' };
const flags = { anyone: 'a', partial: 'p', full: '' };

function rowOf({ method, path, access, result, produces, query, headers, body }: Operation): OperationRow {
  return {
    ...{ method, path },
    access: access === 'admin' ? 'full' : access,
    result: result === 'create' || result === 'created' ? 'detail' : result,
    produces: produces?.[0],
    ...{ query: query !== undefined, headers: headers !== undefined, body: body !== undefined },
  };
}

const camelCase = (path: string) =>
  path.replace(/^\W+/, '').replace(/\W(\w)/g, (_whole, letter) => letter.toUpperCase());

/** A row as `read-operations.ts` reads it. */
function textOf(verb: string, row: OperationRow, base: string): string {
  const { method, path, access, result, produces, query, headers, body } = row;
  const place = placeOf(path, base);
  const what = `${query ? 'q' : ''}${headers ? 'h' : ''}${body ? 'b' : ''}${flags[access]}`;
  const how = `:${methods[method]}${results[result]}${what}`;
  const named = camelCase(place) === verb ? place : `${verb}=${place}`;
  return `${named}${how === ':Glq' ? '' : how}${produces ? `!${produces}` : ''}`;
}

/** A path as it stands below the path of its resource. */
function placeOf(path: string, base: string): string {
  if (path === base) return '/';
  if (path.startsWith(`${base}/{id}`)) return path.slice(`${base}/{id}/`.length);
  return path.startsWith(`${base}/`) ? path.slice(base.length) : `/${path}`;
}

/** The path of a resource: the one that has its name, or the shortest one. */
function baseOf(resource: string, rows: ReadonlyMap<string, OperationRow>): string {
  const paths = [...rows.values()].map(({ path }) => path);
  const beginnings = paths.flatMap((path) => {
    const parts = path.split('/');
    return parts.map((_part, at) => parts.slice(0, at + 1).join('/'));
  });
  return beginnings.find((path) => camelCase(path) === resource) ?? `/${paths[0]?.split('/')[1]}`;
}

/** The lines of an API. */
function linesOf(tree: ApiTree): string[] {
  return Object.entries(tree).map(([resource, verbs]) => {
    const offered = Object.entries(verbs).filter(
      ([verb]) => !(resource === 'authentication' && verb === 'authenticate'),
    );
    const rows = new Map(offered.map(([verb, operation]) => [verb, rowOf(operation)]));
    const base = baseOf(resource, rows);
    const name = camelCase(base) === resource ? base.slice(1) : `${resource}=${base.slice(1)}`;
    const bundle = ['*', '+'].find((sign) => isBundle(rows, readOperations(`${name} ${sign}`)[resource] ?? {}));
    const bundled = bundle ? (readOperations(`${name} ${bundle}`)[resource] ?? {}) : {};
    const others = [...rows].filter(([verb]) => !(verb in bundled)).map(([verb, row]) => textOf(verb, row, base));
    const line = [name, ...(bundle ? [bundle] : []), ...others].join(' ');
    if (!isDeepStrictEqual(sorted(readOperations(line)[resource]), sorted(Object.fromEntries(rows)))) {
      throw new Error(`the table cannot say ${line}`);
    }
    return line;
  });
}

function isBundle(rows: ReadonlyMap<string, OperationRow>, bundle: Readonly<Record<string, OperationRow>>): boolean {
  return Object.entries(bundle).every(([verb, row]) => isDeepStrictEqual(rows.get(verb), row));
}

const sorted = (rows: object = {}) => Object.entries(rows).toSorted(([one], [other]) => (one < other ? -1 : 1));

const ofClient = linesOf(clientApi);
const ofManagement = linesOf(managementApi);
const inBoth = ofClient.filter((line) => ofManagement.includes(line));
const own = (lines: readonly string[]) => lines.filter((line) => !inBoth.includes(line)).join('\n');

await writeFiles({
  'packages/sdk/src/requests/generated/operations.ts': () =>
    [
      '// Generated from the API trees of @edge-controller/shared-types by scripts/generate-sdk-operations.ts.\n',
      "import { readOperations } from '../read-operations.ts';\n\n",
      `const inBoth = \`${inBoth.join('\n')}\`;\n\n`,
      `export const clientOperations = readOperations(\`\${inBoth}\n${own(ofClient)}\`);\n\n`,
      `export const managementOperations = readOperations(\`\${inBoth}\n${own(ofManagement)}\`);\n`,
    ].join(''),
});
