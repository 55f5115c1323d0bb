import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inOneFile } from '../../tsup.single.config.ts';

// esbuild is a dependency of tsup.
const requireOfTsup = createRequire(createRequire(import.meta.url).resolve('tsup'));
const esbuild: Bundler = requireOfTsup('esbuild');

interface Bundler {
  build(options: Record<string, unknown>): Promise<{
    outputFiles: { path: string; text: string }[];
    metafile: { inputs: Record<string, unknown>; outputs: Record<string, { imports: { path: string }[] }> };
  }>;
}

const folder = fileURLToPath(new URL('../../src/', import.meta.url));

interface BundleOptions {
  readonly external?: readonly string[];
  /** `browser` sends with `fetch`, `neutral` with ky. */
  readonly platform?: 'browser' | 'neutral';
  /** As the build makes `/single`. */
  readonly isOneFile?: boolean;
}

/** Bundles what an application imports from `src`: `contents` is its only statement. The entry is `stdin.js`. */
export async function bundle(contents: string, options: BundleOptions = {}) {
  const { external = [], platform = 'browser', isOneFile = false } = options;
  const { outputFiles, metafile } = await esbuild.build({
    stdin: { contents, resolveDir: folder, loader: 'ts' },
    bundle: true,
    minify: true,
    splitting: true,
    outdir: '/',
    format: 'esm',
    platform,
    target: 'es2022',
    conditions: ['source'],
    write: false,
    metafile: true,
    external,
    plugins: isOneFile ? [inOneFile] : [],
  });
  const chunks = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  return { inputs: Object.keys(metafile.inputs), chunks };
}

/** Bundles as `bundle` does, into one file for a worker. `imports` is what this file still imports. */
export async function bundleForWorkers(contents: string) {
  const { outputFiles, metafile } = await esbuild.build({
    stdin: { contents, resolveDir: folder, loader: 'ts' },
    bundle: true,
    minify: true,
    outfile: '/worker.js',
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    conditions: ['source'],
    write: false,
    metafile: true,
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path));
  return { code: outputFiles[0]?.text ?? '', inputs: Object.keys(metafile.inputs), imports };
}

/** Bundles and loads a module for this process. */
export async function loadBundle<T>(contents: string): Promise<T> {
  const { outputFiles } = await esbuild.build({
    stdin: { contents, resolveDir: folder, loader: 'js' },
    ...{ bundle: true, format: 'esm', platform: 'node', target: 'es2022', conditions: ['source'], write: false },
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire('file:///');" },
  });
  return import(`data:text/javascript,${encodeURIComponent(outputFiles[0]?.text ?? '')}`);
}
