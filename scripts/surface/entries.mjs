import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../bootstrap.mjs';

/** The public entries of a package, from the `exports` of its package.json: `{ name, key, file, folder }`. */
export function entriesOf(packageFolder) {
  const folder = join(root, 'packages', packageFolder);
  const { name, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  return Object.entries(exports)
    .filter(([, target]) => typeof target.source === 'string')
    .map(([path, { source }]) => ({
      name: path === '.' ? name : `${name}${path.slice(1)}`,
      key: path === '.' ? 'index' : path.slice(2).replaceAll('/', '-'),
      file: join(folder, source),
      folder,
    }));
}
