import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

// esbuild comes with tsup, which builds the packages.
const requireOfTsup = createRequire(createRequire(import.meta.url).resolve('tsup'));
const esbuild: Bundler = requireOfTsup('esbuild');

interface Bundler {
  build(options: Record<string, unknown>): Promise<{
    outputFiles: { text: string }[];
    metafile: { inputs: Record<string, unknown> };
  }>;
}

test('the browser entry holds neither zod nor Node modules and stays small', async () => {
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: [fileURLToPath(new URL('./index.ts', import.meta.url))],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    conditions: ['source'],
    write: false,
    metafile: true,
  });
  const inputs = Object.keys(metafile.inputs);
  expect(inputs.filter((path) => /zod|node:|shared-types/.test(path))).toEqual([]);
  const text = outputFiles[0]?.text ?? '';
  expect(text).not.toMatch(/["']node:/);
  expect(gzipSync(text, { level: 9 }).length).toBeLessThan(20_000);
});
