// Prints what a page loads of the built SDK, in bytes after gzip -9, and fails above a limit. Run a build first.
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import manifest from '../packages/sdk/package.json' with { type: 'json' };
import { root } from './bootstrap.mjs';

const client = "export { createEdgeClient } from '@edge-controller/sdk';";
const withStorage = "export { createEdgeClient, webStorage } from '@edge-controller/sdk';";
const peers: readonly string[] = Object.keys(manifest.peerDependencies).flatMap((name) => [name, `${name}/*`]);

const withKy = await sizeOf(client, peers);
const withSession = await sizeOf(client, peers, ['client-session', 'prepare-call', 'sign-in']);
const rows = [
  { what: 'createEdgeClient with ky, at once', size: withKy, limit: 15_350 },
  { what: 'createEdgeClient without ky, at once', size: await sizeOf(client, [...peers, 'ky']), limit: 7_000 },
  { what: 'createEdgeClient and webStorage with ky, at once', size: await sizeOf(withStorage, peers), limit: 16_200 },
  { what: 'with all that a sign-in and a call load', size: withSession, limit: 26_800 },
  // What an entry adds to the client, without its peers.
  ...(await Promise.all(
    Object.entries({ './oidc': 3_000, './react': 1_500, './qr': 4_500 }).map(async ([path, limit]) => {
      const both = `${client} export * from '@edge-controller/sdk${path.slice(1)}';`;
      return { what: path.slice(1), size: (await sizeOf(both, peers)) - withKy, limit };
    }),
  )),
];

for (const { what, size, limit } of rows) {
  console.log(
    `${String(size).padStart(7)} of ${String(limit).padStart(6)}  ${what}${size > limit ? '  TOO LARGE' : ''}`,
  );
}
process.exitCode = rows.some(({ size, limit }) => size > limit) ? 1 : 0;

/**
 * The entry and the files that it imports statically, at any depth. `parts`: and those of these modules, which are loaded later. A
 * server compresses each file on its own.
 */
async function sizeOf(contents: string, external: readonly string[], parts: readonly string[] = []) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    ...{ bundle: true, minify: true, splitting: true, write: false, outdir: join(root, 'dist') },
    ...{ format: 'esm', platform: 'browser', target: 'es2022', external: [...external], logLevel: 'error' },
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  // The build and this bundle both add a hash to the name of a part.
  const nameOf = (part: string) =>
    [...texts.keys()].find((name) => new RegExp(`^${part}(-[A-Z0-9]{8}){2}\\.js$`).test(name)) ?? part;
  const textOf = (name: string) => {
    const text = texts.get(name);
    if (text === undefined) throw new Error(`the build has no file ${name}`);
    return text;
  };
  const loaded = new Set(['stdin.js', ...parts.map(nameOf)]);
  for (const name of loaded) {
    for (const [, imported = ''] of textOf(name).matchAll(/(?:from|import)"\.\/(.+?)"/g)) loaded.add(imported);
  }
  return [...loaded].reduce((size, name) => size + gzipSync(textOf(name), { level: 9 }).length, 0);
}
