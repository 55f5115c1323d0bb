// Runs around every `npm pack` and `npm publish` of a package, in its folder: `write` puts the published package.json in
// place, `restore` takes it back.
import { existsSync, renameSync, writeFileSync } from 'node:fs';
import { publishManifest } from './publish-manifest.mjs';

const original = 'package.json.original';
// Also when an interrupted pack has left the published one.
if (existsSync(original)) renameSync(original, 'package.json');
if (process.argv[2] === 'write') {
  const published = `${JSON.stringify(publishManifest(process.cwd()), undefined, 2)}\n`;
  renameSync('package.json', original);
  writeFileSync('package.json', published);
}
