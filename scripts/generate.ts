import { node, run } from './bootstrap.mjs';

// Writes all generated files. With --check it writes nothing, and fails when a file is out of date.
// The descriptions stand in the documents. The report comes last: it shows the generated types.
const generators = [
  'generate-migrations',
  'generate-router-messages',
  'generate-descriptions',
  'generate-docs',
  'generate-sdk-operations',
  'generate-operation-tables',
  'generate-sdk-types',
  'generate-api-report',
].map((name) => `scripts/${name}.ts`);
let failed = false;
for (const generator of generators) {
  const { code } = await run(node, ['--conditions=source', generator, ...process.argv.slice(2)], { show: true });
  if (code !== 0) failed = true;
}
if (failed && process.argv.includes('--check')) console.error('Run `npm run generate` and commit the written files.');
process.exit(failed ? 1 : 0);
