import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where profiles are kept: `EDGE_CONFIG_DIR`, otherwise `edge` in the folder for settings of the platform. */
export function configFolder(): string {
  const { EDGE_CONFIG_DIR, XDG_CONFIG_HOME, APPDATA } = process.env;
  if (EDGE_CONFIG_DIR) return EDGE_CONFIG_DIR;
  const settings = XDG_CONFIG_HOME || (process.platform === 'win32' && APPDATA) || join(homedir(), '.config');
  return join(settings, 'edge');
}

/** The profile that `EDGE_PROFILE` names. */
export function profileOfEnvironment(): string | undefined {
  return process.env.EDGE_PROFILE || undefined;
}

/** The lines of `EDGE_COMPLETE`: `edge` and the words that a completion script asks about. Null: it is not set. */
export function linesToComplete(): readonly string[] | null {
  return process.env.EDGE_COMPLETE?.split('\n') ?? null;
}
