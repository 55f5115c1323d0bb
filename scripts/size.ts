// Prints what a page loads of the built SDK, and what the console loads at once, in bytes after gzip -9, and fails above a limit.
// Run a build first.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import manifest from '../packages/sdk/package.json' with { type: 'json' };
import { root } from './bootstrap.mjs';

const client = "export { createEdgeClient } from '@edge-controller/sdk';";
const single = "export { createEdgeClient } from '@edge-controller/sdk/single';";
const all = "export * from '@edge-controller/sdk/single';";
const withStorage = "export { createEdgeClient, webStorage } from '@edge-controller/sdk';";
const peers: readonly string[] = Object.keys(manifest.peerDependencies).flatMap((name) => [name, `${name}/*`]);
/** The file that a sign-in and a call load. */
const chunks = ['session'];

const frameworks = { './vue': 700, './svelte': 700, './solid': 700 };

interface Measured {
  readonly contents: string;
  /** Files that the client loads later, and that count, too. */
  readonly chunks?: readonly string[];
  /** `browser` sends with `fetch`, `neutral` with ky. */
  readonly platform?: 'browser' | 'neutral';
  /** One file, which loads nothing later. */
  readonly isOneFile?: boolean;
}

const atOnce = await sizeOf({ contents: client });
const afterCall = await sizeOf({ contents: client, chunks });
const withRest = await sizeOf({ contents: client, chunks: [...chunks, 'rest'] });
const rows = [
  ...[
    { what: 'at once', size: atOnce, limit: 4_800 },
    { what: 'at once, with webStorage', size: await sizeOf({ contents: withStorage }), limit: 5_500 },
    { what: 'after a sign-in and a call', size: afterCall, limit: 17_500 },
    { what: 'the rest adds', size: withRest - afterCall, limit: 12_600 },
    { what: 'in one file, all of /single', size: await sizeOf({ contents: all, isOneFile: true }), limit: 28_550 },
    { what: 'in one file, /single', size: await sizeOf({ contents: single, isOneFile: true }), limit: 26_800 },
  ],
  ...(await Promise.all(
    [
      { what: 'with ky, at once', limit: 4_850, contents: client },
      { what: 'with ky, after a sign-in and a call', limit: 26_450, contents: client, chunks },
      { what: 'with ky, in one file', limit: 37_150, contents: client, isOneFile: true },
    ].map(async (row) => ({ ...row, size: await sizeOf({ ...row, platform: 'neutral' }) })),
  )),
  // What an entry adds to the client, without its peers.
  ...(await Promise.all(
    Object.entries({ './oidc': 3_000, './react': 1_500, ...frameworks, './qr': 4_500 }).map(async ([path, limit]) => {
      const both = `${client} export * from '@edge-controller/sdk${path.slice(1)}';`;
      return { what: `${path.slice(1)} adds`, size: (await sizeOf({ contents: both })) - atOnce, limit };
    }),
  )),
  { what: 'the console, at once', size: sizeOfConsole(), limit: 200_000 },
];

for (const { what, size, limit } of rows) {
  console.log(
    `${String(size).padStart(7)} of ${String(limit).padStart(6)}  ${what}${size > limit ? '  TOO LARGE' : ''}`,
  );
}
process.exitCode = rows.some(({ size, limit }) => size > limit) ? 1 : 0;

/**
 * The entry and the files that it imports statically, at any depth, and the `chunks`. A server compresses each file on its
 * own.
 */
async function sizeOf({ contents, chunks = [], platform = 'browser', isOneFile = false }: Measured) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    ...{ bundle: true, minify: true, splitting: !isOneFile, write: false, outdir: join(root, 'dist'), platform },
    ...{ format: 'esm', target: 'es2022', external: [...peers], logLevel: 'error' },
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  // The build and this bundle both add a hash to the name of a chunk.
  const nameOf = (chunk: string) =>
    [...texts.keys()].find((name) => new RegExp(`^${chunk}(-[A-Z0-9]{8}){2}\\.js$`).test(name)) ?? chunk;
  const textOf = (name: string) => {
    const text = texts.get(name);
    if (text === undefined) throw new Error(`the build has no file ${name}`);
    return text;
  };
  const loaded = new Set(['stdin.js', ...chunks.map(nameOf)]);
  for (const name of loaded) {
    for (const [, imported = ''] of textOf(name).matchAll(/(?:from|import)"\.\/(.+?)"/g)) loaded.add(imported);
  }
  return [...loaded].reduce((size, name) => size + gzipSync(textOf(name), { level: 9 }).length, 0);
}

/** The page, the files that it names, and those that these import statically. */
function sizeOfConsole(): number {
  const folder = join(root, 'packages', 'console', 'dist');
  const loaded = new Set(['index.html']);
  let size = 0;
  for (const name of loaded) {
    const bytes = readFileSync(join(folder, name));
    const text = bytes.toString();
    size += gzipSync(bytes, { level: 9 }).length;
    const names = name.endsWith('.html') ? /"\/console\/([^"]+)"/g : /(?:from|import)"\.\/([^"]+)"/g;
    for (const [, found = ''] of text.matchAll(names)) loaded.add(name.endsWith('.html') ? found : `assets/${found}`);
  }
  return size;
}
