// Generates packages/server/src/storage/entity-store/migrations/index.ts from the files beside it.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './bootstrap.mjs';
import { writeFiles } from './generate/write-files.ts';

const folder = 'packages/server/src/storage/entity-store/migrations';
const names = readdirSync(join(root, folder))
  .filter((file) => /^\d{4}-[a-z0-9-]+\.ts$/.test(file))
  .map((file) => file.slice(0, -'.ts'.length))
  .sort();

/** `0008-used-names` exports `usedNames`. */
const exportOf = (name: string) => name.slice(5).replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());

const imports = names.map((name) => `import { ${exportOf(name)} } from './${name}.ts';\n`).join('');
const rows = names.map((name) => `  '${name}': ${exportOf(name)},\n`).join('');

await writeFiles({
  [`${folder}/index.ts`]:
    () => `// Generated from the files of this folder by scripts/generate-migrations.ts. Do not edit.
${imports}import type { SchemaChange } from './schema-change.ts';

/** All changes of the schema in the order of their names, the same for both databases. */
export const schemaChanges: Readonly<Record<string, SchemaChange>> = {
${rows}};
`,
});
