import { edge } from '../../session/edge.ts';
import { bothOf } from './audit-filter.ts';

/** Entries of a file. */
export const maxExported = 200_000;
const pageSize = 500;

export interface ExportedEntries {
  /** JSON lines, the oldest entry first. */
  readonly file: Blob;
  readonly count: number;
  /** Whether the log has more entries than a file. */
  readonly isCut: boolean;
}

/**
 * Reads the entries of a filter page by page. The browser keeps the pages that were read outside of the memory of the page. A stop ends
 * it with what was read.
 */
export async function exportEntries(
  expression: string,
  signal: AbortSignal,
  onProgress: (count: number) => void,
): Promise<ExportedEntries> {
  const pages: Blob[] = [];
  let [count, last, isCut] = [0, 0, false];
  while (!signal.aborted) {
    if (count >= maxExported) {
      isCut = true;
      break;
    }
    const filter = bothOf(expression, `sequence > ${last}`);
    const { data } = await edge.management.auditLog.list({ filter, sort: 'sequence asc', limit: pageSize });
    pages.push(new Blob(data.map((entry) => `${JSON.stringify(entry)}\n`)));
    count += data.length;
    last = data.at(-1)?.sequence ?? last;
    onProgress(count);
    if (data.length < pageSize) break;
  }
  return { file: new Blob(pages, { type: 'application/jsonl' }), count, isCut };
}

/** Has the browser save a file. */
export function saveFile(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  Object.assign(document.createElement('a'), { href: address, download: name }).click();
  // The browser has the file when the click was handled.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
