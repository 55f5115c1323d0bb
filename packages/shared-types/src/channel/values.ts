import { FrameError } from './frame.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { fatal: true });
/** Of what is packed into one header. */
const [maxEntries, maxEntryLength] = [128, 8_192];

/** Makes the bytes of header values. */
export const headerValue = {
  text: (text: string): Uint8Array => encoder.encode(text),
  boolean: (value: boolean): Uint8Array => Uint8Array.of(value ? 1 : 0),
  u8: (value: number): Uint8Array => Uint8Array.of(value),
  u16: (value: number): Uint8Array => number(2, (view) => view.setUint16(0, value, true)),
  u32: (value: number): Uint8Array => number(4, (view) => view.setUint32(0, value, true)),
  /** Also for negative numbers. */
  i32: (value: number): Uint8Array => number(4, (view) => view.setInt32(0, value, true)),
  u64: (value: bigint): Uint8Array => number(8, (view) => view.setBigUint64(0, value, true)),
  texts: (texts: readonly string[]): Uint8Array => packed(texts.map((text) => [sized(encoder.encode(text))])),
  bytesByNumber: (values: ReadonlyMap<number, Uint8Array>): Uint8Array =>
    packed([...values].map(([key, value]) => [headerValue.u32(key), sized(value)])),
  textByText: (values: Readonly<Record<string, string>>): Uint8Array =>
    packed(Object.entries(values).map((entry) => entry.map((text) => sized(encoder.encode(text))))),
};

/**
 * Reads header values. `undefined`: there is no such header.
 *
 * Each throws `FrameError` when the bytes are no such value.
 */
export const readHeader = {
  text: (value: Uint8Array | undefined): string | undefined => value && textOf(value),
  boolean: (value: Uint8Array | undefined): boolean | undefined => value && bytesOf(value, 1).getUint8(0) !== 0,
  u8: (value: Uint8Array | undefined): number | undefined => value && bytesOf(value, 1).getUint8(0),
  u16: (value: Uint8Array | undefined): number | undefined => value && bytesOf(value, 2).getUint16(0, true),
  u32: (value: Uint8Array | undefined): number | undefined => value && bytesOf(value, 4).getUint32(0, true),
  i32: (value: Uint8Array | undefined): number | undefined => value && bytesOf(value, 4).getInt32(0, true),
  u64: (value: Uint8Array | undefined): bigint | undefined => value && bytesOf(value, 8).getBigUint64(0, true),
  texts: (value: Uint8Array | undefined): readonly string[] => unpacked(value, (entries) => textOf(entries.sized())),
  bytesByNumber: (value: Uint8Array | undefined): ReadonlyMap<number, Uint8Array> =>
    new Map(unpacked(value, (entries): [number, Uint8Array] => [entries.u32(), entries.sized()])),
  textByText: (value: Uint8Array | undefined): ReadonlyMap<string, string> =>
    new Map(unpacked(value, (entries): [string, string] => [textOf(entries.sized()), textOf(entries.sized())])),
};

function number(length: number, set: (view: DataView) => void): Uint8Array {
  const view = new DataView(new ArrayBuffer(length));
  set(view);
  return new Uint8Array(view.buffer);
}

function sized(bytes: Uint8Array): Uint8Array {
  return joined([headerValue.u32(bytes.length), bytes]);
}

function packed(entries: readonly (readonly Uint8Array[])[]): Uint8Array {
  return joined([headerValue.u32(entries.length), ...entries.flat()]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function textOf(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    throw new FrameError('a text is not UTF-8');
  }
}

function bytesOf(value: Uint8Array, length: number): DataView {
  if (value.length !== length) throw new FrameError(`a value has ${value.length} bytes instead of ${length}`);
  return new DataView(value.buffer, value.byteOffset, value.length);
}

function unpacked<Entry>(value: Uint8Array | undefined, read: (entries: PackedReader) => Entry): Entry[] {
  // An empty list may have no bytes at all.
  if (!value || value.length === 0) return [];
  const entries = new PackedReader(value);
  const count = entries.u32();
  if (count > maxEntries) throw new FrameError(`a list of ${count} entries; the limit is ${maxEntries}`);
  const all = Array.from({ length: count }, () => read(entries));
  entries.end();
  return all;
}

class PackedReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  u32(): number {
    return bytesOf(this.#take(4), 4).getUint32(0, true);
  }

  sized(): Uint8Array {
    const length = this.u32();
    if (length > maxEntryLength) throw new FrameError(`an entry of ${length} bytes; the limit is ${maxEntryLength}`);
    return this.#take(length);
  }

  end(): void {
    if (this.#at !== this.#bytes.length) throw new FrameError('a list is followed by other bytes');
  }

  #take(length: number): Uint8Array {
    const taken = this.#bytes.subarray(this.#at, this.#at + length);
    if (taken.length !== length) throw new FrameError('a list is cut off');
    this.#at += length;
    return taken;
  }
}
