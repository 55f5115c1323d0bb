import type { ErrorEntry } from '../../packages/shared-types/src/errors.ts';
import { errorCatalogue } from '../../packages/shared-types/src/errors.ts';
import { docComment } from './doc-comment.ts';

const text =
  `A code of the error catalogue, as \`error.code\` of an \`EdgeApiError\` has it. Editors suggest the known codes. A newer
controller may send others, so every text is allowed.`.replace('\n', ' ');

/** Prints the union of the codes that the API sends. */
export function printErrorCode() {
  const codes = new Set(Object.entries<ErrorEntry>(errorCatalogue).map(([name, { code = name }]) => code));
  const members = [...codes].sort().map((code) => `  | '${code}'\n`);
  return `${docComment([text])}export type EdgeErrorCode =\n${members.join('')}  | (string & Record<never, never>);\n`;
}
