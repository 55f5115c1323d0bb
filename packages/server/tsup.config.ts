import { defineConfig } from 'tsup';

export default defineConfig({
  // main.ts begins with its own #! line, which esbuild keeps.
  entry: { index: 'src/index.ts', main: 'src/main.ts' },
  format: ['esm'],
  target: 'node24',
  // What is imported when it is needed stays in a file of its own.
  splitting: true,
  dts: { entry: { index: 'src/index.ts' } },
  clean: true,
});
