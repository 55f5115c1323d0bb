// Runs around every `npm pack` and `npm publish` of a package, in its folder: `write` puts the published package.json in
// place, `restore` takes it back.
import { existsSync, linkSync, renameSync, writeFileSync } from 'node:fs';
import { publishManifest } from './publish-manifest.ts';

const original = 'package.json.original';
// Also when an interrupted pack has left the published one.
if (existsSync(original)) renameSync(original, 'package.json');
if (process.argv[2] === 'write') {
  const published = `${JSON.stringify(publishManifest(process.cwd()), undefined, 2)}\n`;
  linkSync('package.json', original);
  // Packages that are packed at the same time read the file of this one. It must never be away or incomplete.
  writeFileSync('package.json.published', published);
  renameSync('package.json.published', 'package.json');
}
