import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

export interface BundleSize {
  readonly min: number;
  readonly gzip: number;
  readonly brotli: number;
  /** gzip of everything, with the chunks that are loaded later. */
  readonly later: number;
}

/** The bytes of an import in a browser bundle: what a page loads at once. A server compresses each file on its own. */
export async function bundleSize(directory: string, code: string): Promise<BundleSize> {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: directory },
    ...{ bundle: true, minify: true, splitting: true, platform: 'browser', format: 'esm', target: 'es2022' },
    ...{ outdir: directory, write: false, metafile: true, logLevel: 'silent' },
    define: { 'process.env.NODE_ENV': '"production"' },
    absWorkingDir: directory,
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [path.slice(directory.length + 1), text]));
  const atOnce = new Set<string>();
  const visit = (path: string) => {
    if (atOnce.has(path)) return;
    atOnce.add(path);
    for (const part of metafile.outputs[path]?.imports ?? []) {
      if (part.kind === 'import-statement' && !part.external) visit(part.path);
    }
  };
  visit('stdin.js');
  const sum = (paths: Iterable<string>, sizeOf: (text: string) => number) =>
    [...paths].reduce((size, path) => size + sizeOf(texts.get(path) ?? ''), 0);
  const gzip = (text: string) => gzipSync(text, { level: 9 }).length;
  return {
    min: sum(atOnce, Buffer.byteLength),
    gzip: sum(atOnce, gzip),
    brotli: sum(atOnce, (text) => brotliCompressSync(text).length),
    later: sum(texts.keys(), gzip),
  };
}
