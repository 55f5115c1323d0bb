// Generates the types of the SDK from the API trees, so that its users need no schema library.
import { join } from 'node:path';
import { root } from './bootstrap.mjs';
import { printCalls } from './generate/print-calls.ts';
import { printEntities, usedTypes } from './generate/print-entities.ts';
import { printErrorCode } from './generate/print-error-code.ts';
import { readDocs } from './generate/read-docs.ts';
import { writeFiles } from './generate/write-files.ts';

const banner = '// Generated from @edge-controller/shared-types by scripts/generate-sdk-types.ts. Do not edit.\n';

const calls = printCalls();
// Besides the calls, the SDK itself uses the types of errors, of `meta` and of the sign-in.
const entities = printEntities(
  readDocs(join(root, 'packages/shared-types/src')),
  `${calls}: ApiErrorEnvelope : Authenticate : Meta`,
);
const isEntity = (name: string) => new RegExp(`^export (interface|type) ${name} `, 'm').test(entities);
const imports = [...new Set(usedTypes(calls))].filter(isEntity).sort();

await writeFiles({
  'packages/sdk/src/api/generated/entities.ts': () => `${banner}\n${entities}`,
  'packages/sdk/src/api/generated/edge-error-code.ts': () => `${banner}\n${printErrorCode()}`,
  'packages/sdk/src/api/generated/calls.ts': () => `${banner}import type { ListPage } from '../list-page.ts';
import type { CallOptions } from '../call-options.ts';
import type {
${imports.map((name) => `  ${name},\n`).join('')}} from './entities.ts';

${calls}`,
});
