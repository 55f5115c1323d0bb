import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../bootstrap.mjs';

/** A public entry of a package. */
export interface Entry {
  /** What users import: `@edge-controller/sdk/node`. */
  readonly name: string;
  readonly key: string;
  /** Its source. */
  readonly file: string;
  /** Of the package. */
  readonly folder: string;
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, string | { readonly source?: string }>>;
}

/** The public entries of a package, from the `exports` of its package.json. */
export function entriesOf(packageFolder: string): Entry[] {
  const folder = join(root, 'packages', packageFolder);
  const { name, exports }: Manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return Object.entries(exports).flatMap(([path, target]) => {
    if (typeof target === 'string' || target.source === undefined) return [];
    return {
      name: path === '.' ? name : `${name}${path.slice(1)}`,
      key: path === '.' ? 'index' : path.slice(2).replaceAll('/', '-'),
      file: join(folder, target.source),
      folder,
    };
  });
}
