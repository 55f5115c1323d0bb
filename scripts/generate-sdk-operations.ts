// Generates the table of operations of the SDK from the API trees.
import type { ApiTree, Operation } from '../packages/shared-types/src/index.ts';
import { clientApi, managementApi } from '../packages/shared-types/src/index.ts';
import { writeFiles } from './generate/write-files.ts';

function row({ method, path, access, result, produces, query, headers, body }: Operation) {
  const members = {
    ...{ method, path, access, result },
    ...(produces && { produces: produces[0] }),
    ...(query && { query: true }),
    ...(headers && { headers: true }),
    ...(body && { body: true }),
  };
  const text = Object.entries(members).map(([key, value]) => `${key}: ${literal(value)}`);
  return `{ ${text.join(', ')} }`;
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
    const rows = offered.map(([verb, operation]) => `    ${verb}: ${row(operation)},\n`);
    return `  ${resource}: {\n${rows.join('')}  },\n`;
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
      "import type { OperationTable } from '../../../calls/operation-row.ts';\n\n",
      `const inBoth: OperationTable = {\n${inBoth.join('')}};\n\n`,
      `export const clientOperations: OperationTable = {\n  ...inBoth,\n${own(ofClient)}};\n\n`,
      `export const managementOperations: OperationTable = {\n  ...inBoth,\n${own(ofManagement)}};\n`,
    ].join(''),
});
