const magic = [0x03, 0x06, 0x09, 0x0c] as const;
const headLength = 20;

/** Bytes that a frame may have at most. */
export interface FrameLimits {
  readonly headers: number;
  readonly body: number;
}

/** A hello and its answer. */
export const helloLimits: FrameLimits = { headers: 4_192, body: 4_192 };

/** One message of a channel. All integers on the wire are little-endian. */
export interface Frame {
  /** Says what the message is: `controlTypes`, `edgeTypes`. */
  readonly type: number;
  /** Counts the messages of the sender from 1. A hello and its answer have -1. */
  readonly sequence: number;
  readonly headers: ReadonlyMap<number, Uint8Array>;
  readonly body: Uint8Array;
}

/** Bytes that are no frame, or one that is too long. The channel cannot go on after it. */
export class FrameError extends Error {
  override readonly name: string = 'FrameError';
}

/** The bytes begin as no frame of this version does. Whoever accepts connections answers with `supportedVersions`. */
export class VersionError extends FrameError {
  override readonly name = 'VersionError';
}

/** Names the versions of frames that there are: 1 and 2. */
export const supportedVersions: Uint8Array = Uint8Array.of(3, 6, 9, 10, 2, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0);

/** The bytes of a frame before its body, which follows as it is. */
export function frameHead({ type, sequence, headers, body }: Frame): Uint8Array {
  let length = 0;
  for (const value of headers.values()) length += 8 + value.length;
  const bytes = new Uint8Array(headLength + length);
  const view = new DataView(bytes.buffer);
  bytes.set(magic);
  view.setInt32(4, type, true);
  view.setInt32(8, sequence, true);
  view.setInt32(12, length, true);
  view.setInt32(16, body.length, true);
  let at = headLength;
  for (const [key, value] of headers) {
    view.setInt32(at, key, true);
    view.setInt32(at + 4, value.length, true);
    bytes.set(value, at + 8);
    at += 8 + value.length;
  }
  return bytes;
}

/** Cuts the bytes of a channel into frames. */
export class FrameReader {
  #limits: FrameLimits;
  #chunks: Uint8Array[] = [];
  #length = 0;
  /** Bytes without which nothing can be cut. */
  #needed = headLength;

  constructor(limits: FrameLimits) {
    this.#limits = limits;
  }

  /** Counts from the next frame on. */
  set limits(limits: FrameLimits) {
    this.#limits = limits;
  }

  /**
   * Returns the frames that are complete with these bytes. Their headers and bodies are views of the bytes that were read.
   *
   * @throws FrameError
   */
  *push(chunk: Uint8Array): Generator<Frame, void, void> {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    while (this.#length >= this.#needed) {
      const bytes = this.#joined();
      const frame = this.#cut(bytes);
      if (frame !== null) yield frame;
    }
  }

  /** Cuts the first frame, or says how many bytes it needs. */
  #cut(bytes: Uint8Array): Frame | null {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    if (!magic.every((byte, at) => bytes[at] === byte)) throw new VersionError('no frame: another magic number');
    const headers = view.getInt32(12, true);
    const body = view.getInt32(16, true);
    checkLength('headers', headers, this.#limits.headers);
    checkLength('body', body, this.#limits.body);
    const length = headLength + headers + body;
    if (bytes.length < length) {
      this.#needed = length;
      return null;
    }
    const rest = bytes.subarray(length);
    this.#chunks = rest.length === 0 ? [] : [rest];
    this.#length = rest.length;
    this.#needed = headLength;
    return {
      type: view.getInt32(4, true),
      sequence: view.getInt32(8, true),
      headers: readHeaders(view, headLength, headLength + headers),
      body: bytes.subarray(headLength + headers, length),
    };
  }

  #joined(): Uint8Array {
    const [first, ...others] = this.#chunks;
    if (first && others.length === 0) return first;
    const joined = new Uint8Array(this.#length);
    let at = 0;
    for (const chunk of this.#chunks) {
      joined.set(chunk, at);
      at += chunk.length;
    }
    this.#chunks = [joined];
    return joined;
  }
}

function checkLength(what: keyof FrameLimits, length: number, limit: number): void {
  if (length < 0 || length > limit) throw new FrameError(`${what} of ${length} bytes; the limit is ${limit}`);
}

function readHeaders(view: DataView, start: number, end: number): Map<number, Uint8Array> {
  const read = new Map<number, Uint8Array>();
  let at = start;
  while (at < end) {
    if (at + 8 > end) throw new FrameError('a header is cut off');
    const key = view.getInt32(at, true);
    const length = view.getInt32(at + 4, true);
    at += 8;
    if (length < 0 || at + length > end) throw new FrameError(`header ${key} is cut off`);
    if (read.has(key)) throw new FrameError(`header ${key} occurs twice`);
    read.set(key, new Uint8Array(view.buffer, view.byteOffset + at, length));
    at += length;
  }
  return read;
}
