import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import manifest from '../../../package.json' with { type: 'json' };

/** The running program. `buildDate` is when this file was last modified. */
export const build = {
  version: `v${manifest.version}`,
  revision: 'local',
  buildDate: statSync(fileURLToPath(import.meta.url)).mtime.toISOString(),
};
