import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

/** A content coding that has fewer bytes. */
export type Encoding = 'br' | 'gzip';

/** A file as it is sent. */
export interface Representation {
  /** `null`: the bytes are those of the file. */
  readonly encoding: Encoding | null;
  readonly bytes: Buffer;
  readonly etag: string;
}

const brotli = promisify(brotliCompress);
const zip = promisify(gzip);

const compress: Readonly<Record<Encoding, (bytes: Buffer) => Promise<Buffer>>> = {
  // Quality 10 takes 14 times as long as 9, for 7 % fewer bytes.
  br: (bytes) =>
    brotli(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }),
  gzip: (bytes) => zip(bytes, { level: 9 }),
};

/** A file of the web console. It stays in memory, and so do its encodings, from their first use on. */
export class ConsoleFile {
  /** With its extension, such as `.js`. */
  readonly name: string;
  /** True when the name has a hash of the content, so that it never changes. */
  readonly isImmutable: boolean;
  readonly #plain: Representation;
  readonly #hash: string;
  readonly #encoded = new Map<Encoding, Promise<Representation>>();

  constructor(name: string, bytes: Buffer, { isImmutable }: { readonly isImmutable: boolean }) {
    this.name = name;
    this.isImmutable = isImmutable;
    this.#hash = createHash('sha256').update(bytes).digest('base64url');
    this.#plain = { encoding: null, bytes, etag: `"${this.#hash}"` };
  }

  /** The file in an encoding. Without one, and where the encoding has no fewer bytes, the file as it is. */
  in(encoding: Encoding | null): Promise<Representation> {
    if (encoding === null) return Promise.resolve(this.#plain);
    const known = this.#encoded.get(encoding);
    if (known) return known;
    const made = this.#encode(encoding);
    this.#encoded.set(encoding, made);
    // Without memory for it now, the next request tries again.
    made.catch(() => this.#encoded.delete(encoding));
    return made;
  }

  async #encode(encoding: Encoding): Promise<Representation> {
    const bytes = await compress[encoding](this.#plain.bytes);
    if (bytes.length >= this.#plain.bytes.length) return this.#plain;
    return { encoding, bytes, etag: `"${this.#hash}-${encoding}"` };
  }
}
