import { fileURLToPath } from 'node:url';
import { defineConfig } from 'tsup';

/** For esbuild: a client that loads nothing. */
export const inOneFile = {
  name: 'in one file',
  setup({ onResolve }: { onResolve(options: { filter: RegExp }, resolve: () => { path: string }): void }) {
    onResolve({ filter: /\/chunks\/load\.ts$/ }, () => ({
      path: fileURLToPath(new URL('src/single/load.ts', import.meta.url)),
    }));
  },
};

// `/single`, for pages that want to load nothing later. It is no part of the other build, because all entries of that share files.
export default defineConfig({
  entry: { single: 'src/single/index.ts' },
  format: 'esm',
  target: 'es2022',
  platform: 'neutral',
  splitting: false,
  // A page without a bundler loads it as it is.
  minify: true,
  esbuildOptions(options) {
    options.conditions = ['source', 'browser'];
  },
  esbuildPlugins: [inOneFile],
});
