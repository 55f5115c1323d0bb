import type { ErrorEntry } from '../../packages/shared-types/src/errors.ts';
import { errorCatalogue } from '../../packages/shared-types/src/errors.ts';
import { docComment } from './doc-comment.ts';

const text = 'A code of the error catalogue. A newer controller may send others: see `code` of `EdgeApiError`.';

/** Prints the union of the codes that the API sends. */
export function printErrorCode() {
  const codes = new Set(Object.entries<ErrorEntry>(errorCatalogue).map(([name, { code = name }]) => code));
  const members = [...codes].sort().map((code) => `\n  | '${code}'`);
  return `${docComment([text])}export type EdgeErrorCode =${members.join('')};\n`;
}
