/** One DER value: `start` and `end` are the bounds of its content, `end` is also where the next value begins. */
interface DerValue {
  readonly tag: number;
  readonly start: number;
  readonly end: number;
}

/** Encodes one DER value. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const content = concat(parts);
  return concat([Uint8Array.of(tag, ...lengthOf(content.length)), content]);
}

export const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);

/** An object identifier from the hex form of its content. */
export const objectId = (hex: string) => der(0x06, fromHex(hex));

/** A positive integer. Leading zeros of `bytes` are removed. */
export function integer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  const first = bytes.findIndex((byte) => byte !== 0);
  const digits = first < 0 ? Uint8Array.of(0) : bytes.subarray(first);
  // Without the zero, a first bit of 1 would make it negative.
  return (digits[0] ?? 0) < 0x80 ? der(0x02, digits) : der(0x02, Uint8Array.of(0), digits);
}

/**
 * Reads the header of the value at `at`.
 *
 * @throws TypeError when it does not fit into `bytes`
 */
export function readDer(bytes: Uint8Array, at: number): DerValue {
  const [tag = 0, first = 0] = bytes.subarray(at, at + 2);
  const lengthBytes = first < 0x80 ? 0 : first & 0x7f;
  const start = at + 2 + lengthBytes;
  const length = first < 0x80 ? first : bytes.subarray(at + 2, start).reduce((value, byte) => value * 256 + byte, 0);
  const isIndefinite = first === 0x80;
  if (isIndefinite || lengthBytes > 4 || start + length > bytes.length || at + 2 > bytes.length) {
    throw new TypeError('the DER value is damaged');
  }
  return { tag, start, end: start + length };
}

/** The values inside a constructed value. */
export function readChildren(bytes: Uint8Array, parent: DerValue): DerValue[] {
  const children: DerValue[] = [];
  for (let at = parent.start; at < parent.end; ) {
    const child = readDer(bytes.subarray(0, parent.end), at);
    children.push(child);
    at = child.end;
  }
  return children;
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function lengthOf(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
}

function concat(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
