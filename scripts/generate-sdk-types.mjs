// Generates the types of the SDK from the API trees, so that its users need no schema library.
import { join } from 'node:path';
import { root } from './bootstrap.mjs';
import { printCalls } from './generate/print-calls.mjs';
import { printEntities, usedTypes } from './generate/print-entities.mjs';
import { printErrorCode } from './generate/print-error-code.mjs';
import { readDocs } from './generate/read-docs.mjs';
import { writeFiles } from './generate/write-files.mjs';

const banner = '// Generated from @edge-controller/shared-types by scripts/generate-sdk-types.mjs. Do not edit.\n';

const calls = printCalls();
// Besides the calls, the SDK itself uses the types of errors and of `meta`.
const entities = printEntities(readDocs(join(root, 'packages/shared-types/src')), `${calls}: ApiErrorEnvelope : Meta`);
const imports = [...new Set(usedTypes(calls))].filter((name) => entities.includes(`export interface ${name} {`)).sort();

await writeFiles({
  'packages/sdk/src/api/generated/entities.ts': () => `${banner}\n${entities}`,
  'packages/sdk/src/api/generated/edge-error-code.ts': () => `${banner}\n${printErrorCode()}`,
  'packages/sdk/src/api/generated/calls.ts': () => `${banner}import type { ListPage } from '../list-page.ts';
import type { CallOptions } from '../call-options.ts';
import type {
${imports.map((name) => `  ${name},\n`).join('')}} from './entities.ts';

${calls}`,
});
