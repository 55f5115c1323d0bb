import type { OperationRow, OperationTable } from '../calls/operation-row.ts';

const read = 'list=/ get=:Gd';
const all = `${read} create=/:Pdb update=:Ueb patch=:Aeb delete=:De`;

const methods = { G: 'GET', P: 'POST', U: 'PUT', A: 'PATCH', D: 'DELETE' } as const;
const results = { l: 'list', d: 'detail', e: 'empty', f: 'document' } as const;

/**
 * Reads a table of operations as `scripts/generate-sdk-operations.ts` writes it: short, because every page loads it.
 *
 * A line has a resource and its operations. A resource is its path, with its name and `=` before it where that differs. `*` stands
 * for the operations of an entity, `+` for those that read it. Any other operation is `verb=path:how!type`:
 *
 * - `verb`: by default the path
 * - `path`: of one entity; with `/` of the resource, with `//` of the API
 * - `how`: a letter for the method, one for the result, then those of query, headers and body, and who may call it: anyone, or a
 *   partial session, too. By default a list
 * - `type`: the type of a document
 */
export function readOperations(lines: string): OperationTable {
  return Object.fromEntries(lines.split('\n').map(readResource));
}

function readResource(line: string): [name: string, rows: OperationTable[string]] {
  const [resource = '', ...operations] = line.replace('*', all).replace('+', read).split(' ');
  const [name = '', base = name] = resource.split('=');
  return [camelCase(name), Object.fromEntries(operations.map((operation) => readRow(`/${base}`, operation)))];
}

function readRow(base: string, operation: string): [verb: string, row: OperationRow] {
  const [call = '', produces] = operation.split('!');
  const [place = '', how = 'Glq'] = call.split(':');
  const [verb = '', path = verb] = place.split('=');
  const [method, result] = how as unknown as [keyof typeof methods, keyof typeof results];
  const has = (letter: string) => how.includes(letter, 2);
  return [
    camelCase(verb),
    {
      method: methods[method],
      path: pathBelow(base, path),
      access: has('a') ? 'anyone' : has('p') ? 'partial' : 'full',
      result: results[result],
      produces,
      query: has('q'),
      headers: has('h'),
      body: has('b'),
    },
  ];
}

function pathBelow(base: string, path: string): string {
  if (path.startsWith('//')) return path.slice(1);
  if (path.startsWith('/')) return path === '/' ? base : base + path;
  return `${base}/{id}${path && '/'}${path}`;
}

/** `re-enroll` → `reEnroll`, `/current-identity/mfa` → `currentIdentityMfa`. */
function camelCase(path: string): string {
  return path.replace(/^\W+/, '').replace(/\W(\w)/g, (_whole, letter: string) => letter.toUpperCase());
}
