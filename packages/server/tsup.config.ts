import { defineConfig } from 'tsup';

export default defineConfig({
  // main.ts begins with its own #! line, which esbuild keeps.
  entry: { index: 'src/index.ts', main: 'src/main.ts' },
  format: ['esm'],
  target: 'node24',
  dts: { entry: { index: 'src/index.ts' } },
  clean: true,
});
