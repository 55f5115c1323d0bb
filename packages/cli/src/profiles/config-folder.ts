import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where profiles are kept: `EDGE_CONFIG_DIR`, otherwise `edge` in the folder for settings of the platform. */
export function configFolder(env: NodeJS.ProcessEnv = process.env): string {
  if (env.EDGE_CONFIG_DIR) return env.EDGE_CONFIG_DIR;
  const settings = env.XDG_CONFIG_HOME || (process.platform === 'win32' && env.APPDATA) || join(homedir(), '.config');
  return join(settings, 'edge');
}
