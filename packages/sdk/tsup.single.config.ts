import { defineConfig } from 'tsup';
import { inOneFile } from './in-one-file.ts';

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
