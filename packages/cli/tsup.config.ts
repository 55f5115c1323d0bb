import { defineConfig } from 'tsup';

export default defineConfig({
  // bin.ts begins with its own #! line, which esbuild keeps.
  entry: { bin: 'src/bin.ts' },
  format: ['esm'],
  target: 'node22',
  // What is imported when it is needed stays in a file of its own.
  splitting: true,
  clean: true,
});
