import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';

interface KnownHash {
  /** Modification time and size of the file. */
  readonly version: string;
  readonly hash: Promise<string>;
}

/** SHA-512 of files, in hex. A file is read again when its time or size has changed. */
export class FileHashes {
  readonly #known = new Map<string, KnownHash>();

  /** Throws the file system error. */
  async of(path: string): Promise<string> {
    const { mtimeNs, size } = await stat(path, { bigint: true });
    const version = `${mtimeNs} ${size}`;
    const known = this.#known.get(path);
    if (known?.version === version) return known.hash;
    const hash = hashOf(path);
    this.#known.set(path, { version, hash });
    hash.catch(() => this.#known.delete(path));
    return hash;
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha512');
  for await (const part of createReadStream(path)) hash.update(part);
  return hash.digest('hex');
}
