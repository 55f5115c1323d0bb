import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { aptInstall } from './apt-install.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'chrome'];

function onPath() {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find((file) => existsSync(file));
}

/**
 * Returns the path of a Chromium: `CHROME_PATH`, or one on the PATH. As root on Debian it installs Chromium if there is
 * none. Returns `''` when there is no Chromium.
 */
export function chromium(): string {
  return process.env.CHROME_PATH ?? onPath() ?? (aptInstall('chromium') ? onPath() : '') ?? '';
}
