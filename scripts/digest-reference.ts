// Writes what the tests know of the reference: node scripts/digest-reference.ts CLIENT.json MANAGEMENT.json
// The arguments are the OpenAPI 2.0 documents of both APIs.
import { readFileSync } from 'node:fs';
import type { Digest } from '../packages/server/test/documents/reference/digest.ts';
import { digestOf } from '../packages/server/test/documents/reference/digest.ts';
import { writeFiles } from './generate/write-files.ts';

const [client = '', management = ''] = process.argv.slice(2);
await writeFiles({
  'packages/server/test/documents/reference/generated/client.json': () => digestFile(client),
  'packages/server/test/documents/reference/generated/management.json': () => digestFile(management),
});

/** One operation or definition on each line. */
function digestFile(file: string): string {
  const { operations, definitions }: Digest = digestOf(JSON.parse(readFileSync(file, 'utf8')));
  const rows = (entries: object) =>
    Object.entries(entries)
      .map(([name, entry]) => `${JSON.stringify(name)}: ${JSON.stringify(entry)}`)
      .join(',\n');
  return `{"operations": {\n${rows(operations)}\n}, "definitions": {\n${rows(definitions)}\n}}\n`;
}
