import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'tsup';

const swaggerUi = dirname(fileURLToPath(import.meta.resolve('swagger-ui-dist/package.json')));
/** Of its 12 MB, the page needs 2. The rest are other builds, and source maps. */
const swaggerUiFiles = [
  'swagger-ui-bundle.js',
  'swagger-ui-bundle.js.LICENSE.txt',
  'swagger-ui.css',
  'LICENSE',
  'NOTICE',
];

/** Copies the files that the controller serves as they are; see `imports` in package.json. */
function copyPages() {
  cpSync('src/http/pages/files', 'dist/pages', { recursive: true });
  mkdirSync('dist/swagger-ui', { recursive: true });
  for (const file of swaggerUiFiles) cpSync(`${swaggerUi}/${file}`, `dist/swagger-ui/${file}`);
}

/** Copies the list of common passwords; see `imports` in package.json. */
function copyPasswords() {
  cpSync('src/credentials/passwords/files', 'dist/passwords', { recursive: true });
}

const consoleFiles = '../console/dist';

/** Copies the web console, which its own package builds. */
function copyConsole() {
  if (!existsSync(`${consoleFiles}/index.html`)) {
    throw new Error('packages/console/dist has no index.html: build the console before the server');
  }
  cpSync(consoleFiles, 'dist/console', { recursive: true });
}

export default defineConfig({
  // bin.ts begins with its own #! line, which esbuild keeps.
  // list-process.ts and schema-process.ts are programs of their own. `storage/database/sqlite/list-worker.ts` and
  // `entities/json-schemas/schema-thread.ts` expect them beside the other files.
  entry: {
    index: 'src/index.ts',
    bin: 'src/bin.ts',
    main: 'src/main.ts',
    'router-double': 'src/router-double.ts',
    'list-process': 'src/storage/database/sqlite/list-process.ts',
    'schema-process': 'src/entities/json-schemas/schema-process.ts',
  },
  format: ['esm'],
  target: 'node24',
  // What is imported when it is needed stays in a file of its own.
  splitting: true,
  dts: {
    entry: { index: 'src/index.ts', 'router-double': 'src/router-double.ts' },
    banner: '/// <reference lib="esnext.disposable" />',
    // They are not published.
    resolve: [/^@edge-controller\/(certificate-path|router-double|router-messages)$/, /^\.\.?\//],
  },
  clean: true,
  onSuccess: async () => {
    copyPages();
    copyPasswords();
    copyConsole();
  },
});
