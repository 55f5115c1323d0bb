import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

interface Build {
  onLoad(options: { filter: RegExp }, load: (file: { path: string }) => { contents: string; loader: 'ts' }): void;
}

/** For esbuild: makes static imports of every `import()`, so that nothing is loaded later. */
export const inOneFile = {
  name: 'in one file',
  setup({ onLoad }: Build) {
    onLoad({ filter: /\/sdk\/src\/.*\.ts$/ }, ({ path }) => {
      const imports: string[] = [];
      const contents = readFileSync(path, 'utf8').replace(
        /(?<!typeof )\bimport\('(.+?)'\)/g,
        (_whole, file: string) => {
          const names = exportsOf(join(dirname(path), file));
          const own = names.map((name) => `${name} as lazy_${name}`);
          imports.push(`import { ${own.join()} } from '${file}';\n`);
          return `Promise.resolve({ ${names.map((name) => `${name}: lazy_${name}`).join()} })`;
        },
      );
      return { contents: imports.join('') + contents, loader: 'ts' };
    });
  },
};

/** The values that a file exports. Their namespace object would be larger. */
function exportsOf(path: string): string[] {
  const text = readFileSync(path, 'utf8');
  if (/^export ({|\*|default)/m.test(text))
    throw new Error(`${path} exports what ${import.meta.url} does not understand`);
  return Array.from(text.matchAll(/^export (?:async )?(?:const|class|function\*?) (\w+)/gm), ([, name = '']) => name);
}
