import { defineConfig } from 'tsup';

export default defineConfig({
  // bin.ts begins with its own #! line, which esbuild keeps.
  // list-process.ts is a program of its own, which `database/sqlite/list-worker.ts` expects beside the other files.
  entry: {
    index: 'src/index.ts',
    bin: 'src/bin.ts',
    main: 'src/main.ts',
    'list-process': 'src/database/sqlite/list-process.ts',
  },
  format: ['esm'],
  target: 'node24',
  // What is imported when it is needed stays in a file of its own.
  splitting: true,
  dts: { entry: { index: 'src/index.ts' }, banner: '/// <reference lib="esnext.disposable" />' },
  clean: true,
});
