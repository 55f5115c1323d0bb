import { errorCatalogue } from '../../packages/shared-types/src/errors.ts';
import { banner, code, table } from './markdown.mjs';

export function errorsDocument() {
  const rows = Object.entries(errorCatalogue).map(([name, entry]) => ({ name: entry.code ?? name, ...entry }));
  rows.sort((a, b) => a.status - b.status || (a.name < b.name ? -1 : 1));
  return `${banner('packages/shared-types/src/errors.ts')}

# Errors

Every 4xx and 5xx answer carries the error envelope: \`error.code\` is for programs, \`error.message\` is fixed per
code, \`error.cause\` says what is special about one refusal and \`error.requestId\` finds it in the log.

${table(
  ['Status', 'Code', 'Message'],
  rows.map((row) => [row.status, code(row.name), row.message]),
)}
`;
}
