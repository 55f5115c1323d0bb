import { basename } from 'node:path';
import { defineConfig } from 'tsup';
import manifest from './package.json' with { type: 'json' };
import { oldestNode } from './src/testing/load-server.ts';

// An entry is a row of `exports`: `dist/node.js` is made from the source of `./node`.
const entries = Object.values(manifest.exports).filter((entry) => typeof entry === 'object');

// An `import` of `/testing` waits until a controller is prepared. A `require` cannot wait, so it loads another file.
const testing = { testing: 'src/testing/preloaded.ts', 'testing-required': 'src/testing/index.ts' };

// What an entry imports with `#` is a file for each kind of runtime.
const platforms = Object.values(manifest.imports).flatMap((kinds) => Object.values(kinds));
const platformFiles = Object.fromEntries(platforms.map((kind) => [basename(kind.default, '.js'), kind.source]));

/** A Node that cannot load a module in this way is too old for a controller. */
const requireTesting = `try {
  module.exports = require('./testing-required.js');
} catch (cause) {
  if (cause.code !== 'ERR_REQUIRE_ESM' || Number.parseInt(process.versions.node) >= 24) throw cause;
  throw new Error(\`startTestController needs Node ${oldestNode} or newer; this is Node \${process.versions.node}\`, { cause });
}
`;

export default defineConfig({
  entry: Object.fromEntries(entries.map((entry) => [basename(entry.import.default, '.js'), entry.source])),
  format: ['esm', 'cjs'],
  target: 'es2022',
  platform: 'neutral',
  external: [/^node:/, /^#/],
  // There is one copy of the code: a `.cjs` file loads its `.js` file. Node >= 22.12 and bundlers can do that.
  esbuildPlugins: [
    {
      name: 'no copy',
      setup({ initialOptions, onLoad }) {
        if (initialOptions.format === 'cjs') onLoad({ filter: /./ }, () => ({ contents: '' }));
      },
    },
  ],
  esbuildOptions(options, { format }) {
    if (format === 'cjs') return;
    const { single: _single, ...others } = options.entryPoints as Record<string, string>;
    options.entryPoints = { ...others, ...testing, ...platformFiles };
  },
  plugins: [
    {
      name: 'load the module',
      renderChunk(_code, { path }) {
        if (this.format !== 'cjs') return undefined;
        const name = basename(path, '.cjs');
        return { code: name === 'testing' ? requireTesting : `module.exports = require('./${name}.js');\n` };
      },
    },
  ],
  // For `Symbol.asyncDispose` in projects whose `lib` is older.
  dts: { banner: '/// <reference lib="esnext.disposable" />' },
  clean: true,
});
