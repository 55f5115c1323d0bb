import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Installs a package of Debian, and returns whether that worked: only for root, where there is apt. Tests in several processes may
 * ask at once, and apt runs only once at a time, so they wait for each other.
 */
export function aptInstall(name: string): boolean {
  if (process.getuid?.() !== 0) return false;
  console.log(`Installing ${name} …`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = `apt-get update && apt-get install -y --no-install-recommends ${name}`;
  return spawnSync('flock', [join(tmpdir(), 'edge-apt.lock'), 'sh', '-c', install], { env }).status === 0;
}
