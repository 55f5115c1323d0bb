import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

// esbuild is a dependency of tsup.
const requireOfTsup = createRequire(createRequire(import.meta.url).resolve('tsup'));
const esbuild: Bundler = requireOfTsup('esbuild');

interface Bundler {
  build(options: Record<string, unknown>): Promise<{
    outputFiles: { path: string; text: string }[];
    metafile: { inputs: Record<string, unknown> };
  }>;
}

test('the browser bundle contains neither zod nor Node modules, and what a page loads at once is smaller than 20 kB', async () => {
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: [fileURLToPath(new URL('./index.ts', import.meta.url))],
    bundle: true,
    minify: true,
    splitting: true,
    outdir: '/',
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    conditions: ['source'],
    write: false,
    metafile: true,
  });
  const inputs = Object.keys(metafile.inputs);
  expect(inputs.filter((path) => /zod|node:|shared-types/.test(path))).toEqual([]);
  const chunks = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  for (const text of chunks.values()) expect(text).not.toMatch(/["']node:/);
  // Without the code of enrollments, which is loaded when it is needed.
  const atOnce = [
    'index.js',
    ...(chunks.get('index.js') ?? '').matchAll(/from"\.\/(.+?)"/g).map(([, name = '']) => name),
  ];
  expect(gzipSync(atOnce.map((name) => chunks.get(name) ?? '').join('\n'), { level: 9 }).length).toBeLessThan(20_000);
  expect(gzipSync([...chunks.values()].join('\n'), { level: 9 }).length).toBeLessThan(24_000);
});
