// Generates the table of operations of the SDK from the API trees.
import { isDeepStrictEqual } from 'node:util';
import { entityOperations, readOperations } from '../packages/sdk/src/requests/later/entity-operations.ts';
import type { ApiTree, Operation } from '../packages/shared-types/src/index.ts';
import { clientApi, managementApi } from '../packages/shared-types/src/index.ts';
import { writeFiles } from './generate/write-files.ts';

function rowOf({ method, path, access, result, produces, query, headers, body }: Operation): object {
  return {
    ...{ method, path, access, result },
    ...(produces && { produces: produces[0] }),
    ...(query && { query: true }),
    ...(headers && { headers: true }),
    ...(body && { body: true }),
  };
}

function rowText(row: object): string {
  const text = Object.entries(row).map(([key, value]) => `${key}: ${literal(value)}`);
  return `{ ${text.join(', ')} }`;
}

/** The call that makes most rows of a resource, and the rows that it makes. */
function shortened(rows: ReadonlyMap<string, object>): { readonly call: string; readonly made: object } | undefined {
  const { path = '', access = 'admin' } = (rows.get('list') ?? {}) as Partial<Operation>;
  const candidates = [
    { call: `entityOperations('${path}')`, made: entityOperations(path) },
    { call: `readOperations('${path}', '${access}')`, made: readOperations(path, access) },
  ];
  return candidates.find(({ made }) =>
    Object.entries(made).every(([verb, row]) => isDeepStrictEqual(rows.get(verb), row)),
  );
}

function literal(value: unknown) {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

/** The resources of an API as texts. */
function resourcesOf(tree: ApiTree): string[] {
  return Object.entries(tree).map(([resource, verbs]) => {
    const offered = Object.entries(verbs).filter(
      ([verb]) => !(resource === 'authentication' && verb === 'authenticate'),
    );
    const rows = new Map(offered.map(([verb, operation]) => [verb, rowOf(operation)]));
    const { call, made = {} } = shortened(rows) ?? {};
    const others = [...rows].filter(([verb]) => !(verb in made));
    if (call !== undefined && others.length === 0) return `  ${resource}: ${call},\n`;
    const texts = others.map(([verb, row]) => `    ${verb}: ${rowText(row)},\n`);
    return `  ${resource}: {\n${call === undefined ? '' : `    ...${call},\n`}${texts.join('')}  },\n`;
  });
}

const ofClient = resourcesOf(clientApi);
const ofManagement = resourcesOf(managementApi);
const inBoth = ofClient.filter((text) => ofManagement.includes(text));
const own = (resources: readonly string[]) => resources.filter((text) => !inBoth.includes(text)).join('');

await writeFiles({
  'packages/sdk/src/requests/later/generated/operations.ts': () =>
    [
      '// Generated from the API trees of @edge-controller/shared-types by scripts/generate-sdk-operations.ts.\n',
      "import type { OperationTable } from '../../../calls/operation-row.ts';\n",
      "import { entityOperations, readOperations } from '../entity-operations.ts';\n\n",
      `const inBoth: OperationTable = {\n${inBoth.join('')}};\n\n`,
      `export const clientOperations: OperationTable = {\n  ...inBoth,\n${own(ofClient)}};\n\n`,
      `export const managementOperations: OperationTable = {\n  ...inBoth,\n${own(ofManagement)}};\n`,
    ].join(''),
});
