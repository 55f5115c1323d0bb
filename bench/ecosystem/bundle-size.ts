import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

export interface BundleSize {
  readonly min: number;
  readonly gzip: number;
  readonly brotli: number;
  /** gzip of everything, with the chunks that are loaded later. */
  readonly later: number;
}

/** The bytes of an import in a browser bundle: what a page loads at once. */
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
  const text = [...atOnce].map((path) => texts.get(path) ?? '').join('\n');
  const sizeOf = (content: string) => gzipSync(content, { level: 9 }).length;
  return {
    min: Buffer.byteLength(text),
    gzip: sizeOf(text),
    brotli: brotliCompressSync(text).length,
    later: sizeOf([...texts.values()].join('\n')),
  };
}
