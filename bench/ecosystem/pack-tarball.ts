import { join } from 'node:path';
import { shell } from './shell.ts';

/** Builds the SDK and packs it as it is published. Returns the path of the tarball. */
export async function packTarball(directory: string): Promise<string> {
  const root = join(import.meta.dirname, '../..');
  await shell(root, [process.execPath, 'scripts/build.ts']);
  await shell(root, [process.execPath, 'scripts/pack.ts', directory]);
  return join(directory, 'sdk.tgz');
}
