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

async function bundle(entry: string, external: string[] = []) {
  const { outputFiles, metafile } = await esbuild.build({
    entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
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
    external,
  });
  const chunks = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  return { inputs: Object.keys(metafile.inputs), chunks };
}

const sizeOf = (texts: Iterable<string>) => gzipSync([...texts].join('\n'), { level: 9 }).length;

test('the browser bundle contains neither zod nor Node modules, and what a page loads at once is smaller than 20 kB', async () => {
  const { inputs, chunks } = await bundle('./index.ts');
  expect(inputs.filter((path) => /zod|node:|shared-types|oauth4webapi/.test(path))).toEqual([]);
  for (const text of chunks.values()) expect(text).not.toMatch(/["']node:/);
  // Without the code of enrollments and of JWTs, which is loaded when it is needed.
  const atOnce = [
    'index.js',
    ...(chunks.get('index.js') ?? '').matchAll(/from"\.\/(.+?)"/g).map(([, name = '']) => name),
  ];
  expect(sizeOf(atOnce.map((name) => chunks.get(name) ?? ''))).toBeLessThan(20_000);
  expect(sizeOf(chunks.values())).toBeLessThan(24_000);
});

test('the sign-in through a provider adds less than 3 kB of our own, and less than 10 kB with its library', async () => {
  const own = await bundle('./oidc/index.ts', ['oauth4webapi']);
  expect(own.inputs.filter((path) => /zod|node:|shared-types/.test(path))).toEqual([]);
  expect(sizeOf(own.chunks.values())).toBeLessThan(3_000);
  expect(sizeOf((await bundle('./oidc/index.ts')).chunks.values())).toBeLessThan(10_000);
});
