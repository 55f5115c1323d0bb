import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { root } from '../bootstrap.mjs';

const pages = join(root, 'packages/server/src/http/pages/files');
const { resolve } = createRequire(join(root, 'packages/server/package.json'));

/** Where the page of a controller finds its parts, and where that of the site does. */
const addresses = [
  ['/edge/docs/', './'],
  ['/edge/docs?', 'index.html?'],
  ['`/edge/$', '`$'],
  ['/v1/openapi.json`', '.openapi.json`'],
  ['<a href="/">Edge controller</a>', '<a href="../index.html">Edge Controller</a>'],
] as const;

/** Writes the page of the API documents that a controller serves, with the documents, for a server of static files. */
export function writeOpenapiPages(folder: string): void {
  const out = join(root, folder);
  mkdirSync(out, { recursive: true });
  for (const [name, as] of [
    ['docs.html', 'index.html'],
    ['docs.js', 'docs.js'],
    ['page.css', 'page.css'],
  ] as const) {
    const text = readFileSync(join(pages, name), 'utf8');
    writeFileSync(
      join(out, as),
      addresses.reduce((all, [from, to]) => all.replaceAll(from, to), text),
    );
  }
  for (const name of ['swagger-ui.css', 'swagger-ui-bundle.js']) {
    copyFileSync(resolve(`swagger-ui-dist/${name}`), join(out, name));
  }
  for (const api of ['client', 'management']) {
    for (const name of [`${api}.openapi.json`, `${api}.json`]) {
      copyFileSync(join(root, 'docs/openapi', name), join(out, name));
    }
  }
}
