// Generates packages/server/src/storage/entity-store/migrations/index.ts from the files beside it, and gives the migrations of the
// recipes the next free numbers.
import { globSync, readdirSync, readFileSync } from 'node:fs';
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

/** In a recipe, the path of a migration of it. */
const recipeMigration = /(?<=entity-store\/migrations\/)\d{4}-[a-z0-9-]+(?=\.ts`)/g;
const recipes = globSync('docs/recipes/*.md', { cwd: root });
const textOf = (path: string) => readFileSync(join(root, path), 'utf8');
const ofRecipes = recipes.flatMap((path) => textOf(path).match(recipeMigration) ?? []).sort();
const numbered = (name: string) =>
  String(Number(names.at(-1)?.slice(0, 4)) + 1 + ofRecipes.indexOf(name)).padStart(4, '0') + name.slice(4);

await writeFiles({
  ...Object.fromEntries(recipes.map((path) => [path, () => textOf(path).replaceAll(recipeMigration, numbered)])),
  [`${folder}/index.ts`]:
    () => `// Generated from the files of this folder by scripts/generate-migrations.ts. Do not edit.
${imports}import type { SchemaChange } from './schema-change.ts';

/** All changes of the schema in the order of their names, the same for both databases. */
export const schemaChanges: Readonly<Record<string, SchemaChange>> = {
${rows}};
`,
});
