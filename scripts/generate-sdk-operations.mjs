// Generates packages/sdk/src/requests/later/generated/operations.ts from the API trees: node --conditions=source <this file> [--check]
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { clientApi, managementApi } from '../packages/shared-types/src/index.ts';

const target = fileURLToPath(new URL('../packages/sdk/src/requests/later/generated/operations.ts', import.meta.url));

function row({ method, path, access, result, produces, query, headers, body }) {
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

function literal(value) {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function table(name, tree) {
  const resources = Object.entries(tree).map(([resource, verbs]) => {
    const rows = Object.entries(verbs).map(([verb, operation]) => `    ${verb}: ${row(operation)},\n`);
    return `  ${resource}: {\n${rows.join('')}  },\n`;
  });
  return `export const ${name}: OperationTable = {\n${resources.join('')}};\n`;
}

const text = [
  '// Generated from the API trees of @edge-controller/shared-types by scripts/generate-sdk-operations.mjs.\n',
  "import type { OperationTable } from '../../../calls/operation-row.ts';\n\n",
  table('clientOperations', clientApi),
  '\n',
  table('managementOperations', managementApi),
].join('');

function current() {
  try {
    return readFileSync(target, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return '';
    throw error;
  }
}

if (!process.argv.includes('--check')) writeFileSync(target, text);
else if (current() !== text) {
  process.stderr.write('packages/sdk/src/requests/later/generated/operations.ts is out of date\n');
  process.exitCode = 1;
}
