import type { ErrorEntry } from '../../packages/shared-types/src/errors.ts';
import { errorCatalogue } from '../../packages/shared-types/src/errors.ts';
import { banner, code, table } from './markdown.ts';

export function errorsDocument() {
  const rows = Object.entries<ErrorEntry>(errorCatalogue).map(([name, entry]) => ({
    name: entry.code ?? name,
    ...entry,
  }));
  rows.sort((a, b) => a.status - b.status || (a.name < b.name ? -1 : 1));
  return `${banner('packages/shared-types/src/errors.ts')}

# Errors

Every 4xx and 5xx response has the error envelope. Programs use \`error.code\`. \`error.message\` is the same for all errors
with one code, and \`error.cause\` has the details of one error. \`error.requestId\` is the id of the request in the log.

${table(
  ['Status', 'Code', 'Message'],
  rows.map((row) => [row.status, code(row.name), row.message]),
)}
`;
}
