import { basename } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import type { Measured } from './packages.ts';

export interface BundleSize {
  /** Bytes that a page loads at once: minified, after gzip, after brotli. */
  readonly min: number;
  readonly gzip: number;
  readonly brotli: number;
  /** After gzip, with the files that a sign-in and a call load. */
  readonly used: number;
  /** After gzip, when everything is in one file. */
  readonly oneFile: number;
}

type Size = (text: string) => number;

const gzip: Size = (text) => gzipSync(text, { level: 9 }).length;
const brotli: Size = (text) => brotliCompressSync(text).length;

/** The bytes of an import in a bundle. A server compresses each file on its own. */
export async function bundleSize(directory: string, measured: Measured): Promise<BundleSize> {
  const { code, oneFile = code, parts = [] } = measured;
  const { texts, atOnce } = await bundle(directory, measured, code, true);
  // The build of the package and this bundle both add a hash to the name of a part.
  const isUsed = (path: string) =>
    parts.some((part) => new RegExp(`^${part}(-[A-Z0-9]{8}){2}\\.js$`).test(basename(path)));
  const used = atOnce(['stdin.js', ...[...texts.keys()].filter(isUsed)]);
  const sum = (paths: Iterable<string>, sizeOf: Size) =>
    [...paths].reduce((size, path) => size + sizeOf(texts.get(path) ?? ''), 0);
  const first = atOnce(['stdin.js']);
  const single = await bundle(directory, measured, oneFile, false);
  return {
    ...{ min: sum(first, Buffer.byteLength), gzip: sum(first, gzip), brotli: sum(first, brotli) },
    ...{ used: sum(used, gzip), oneFile: gzip(single.texts.get('stdin.js') ?? '') },
  };
}

async function bundle(directory: string, { platform = 'browser' }: Measured, contents: string, splitting: boolean) {
  const { outputFiles, metafile } = await build({
    stdin: { contents, resolveDir: directory },
    ...{ bundle: true, minify: true, splitting, platform, format: 'esm', target: 'es2022' },
    ...{ outdir: directory, write: false, metafile: true, logLevel: 'silent' },
    define: { 'process.env.NODE_ENV': '"production"' },
    absWorkingDir: directory,
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [path.slice(directory.length + 1), text]));
  /** These files and what they import statically, at any depth. */
  function atOnce(paths: readonly string[]): Set<string> {
    const found = new Set(paths);
    for (const path of found) {
      for (const part of metafile.outputs[path]?.imports ?? []) {
        if (part.kind === 'import-statement' && !part.external) found.add(part.path);
      }
    }
    return found;
  }
  return { texts, atOnce };
}
