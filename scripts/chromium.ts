import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

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
  const found = process.env.CHROME_PATH ?? onPath();
  if (found || process.getuid?.() !== 0) return found ?? '';
  console.log('Installing Chromium …');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    if (spawnSync('apt-get', args, { env, stdio: 'ignore' }).status !== 0) return '';
  }
  return onPath() ?? '';
}
