import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';

// esbuild is a dependency of tsup.
const requireOfTsup = createRequire(createRequire(import.meta.url).resolve('tsup'));
const esbuild: Bundler = requireOfTsup('esbuild');

interface Bundler {
  build(options: Record<string, unknown>): Promise<{
    outputFiles: { text: string }[];
    metafile: { inputs: Record<string, unknown> };
  }>;
}

test('the browser entry contains neither zod nor Node modules and is smaller than 20 kB', async () => {
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
