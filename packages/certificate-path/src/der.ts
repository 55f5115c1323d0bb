/** Tags of X.690 as they occur in certificates: class, form and number in one byte. */
export const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  null: 0x05,
  oid: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  teletexString: 0x14,
  ia5String: 0x16,
  utcTime: 0x17,
  generalizedTime: 0x18,
  visibleString: 0x1a,
  universalString: 0x1c,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Context-specific tags, `[number]`. */
export const primitive = (number: number) => 0x80 + number;
export const constructed = (number: number) => 0xa0 + number;

/** One element: its tag, its content, and all its bytes. */
export interface Element {
  readonly tag: number;
  readonly content: Buffer;
  readonly raw: Buffer;
}

/** The bytes are not the DER of what is expected. The message says why. */
export class NotDer extends Error {
  override readonly name = 'NotDer';
}

/**
 * Reads the only element of these bytes. DER alone is accepted (X.690, section 10): definite lengths in the fewest
 * octets, and nothing behind the element.
 *
 * @throws NotDer
 */
export function readOne(bytes: Buffer, tag: number): Element {
  const element = readAt(bytes, 0);
  if (element.raw.length !== bytes.length) throw new NotDer('bytes behind the end');
  return expectTag(element, tag);
}

/** Reads the elements inside a constructed element. @throws NotDer */
export function childrenOf({ content }: Element): Element[] {
  const children: Element[] = [];
  let at = 0;
  while (at < content.length) {
    const child = readAt(content, at);
    children.push(child);
    at += child.raw.length;
  }
  return children;
}

/** Reads an element whose tag says that one other element is inside. @throws NotDer */
export function unwrap(element: Element, tag: number): Element {
  return readOne(element.content, tag);
}

/** @throws NotDer when the element is missing or has another tag */
export function expectTag(element: Element | undefined, tag: number): Element {
  if (element?.tag !== tag) throw new NotDer(`tag 0x${tag.toString(16)} expected`);
  return element;
}

/**
 * Reads the elements of a SEQUENCE in turn: `next` the one that must come, `optional` one that may.
 * `end` throws when something is left.
 */
export function sequenceOf(element: Element | undefined, tag: number = tags.sequence) {
  const children = childrenOf(expectTag(element, tag));
  let at = 0;
  return {
    next(expected: number): Element {
      at += 1;
      return expectTag(children[at - 1], expected);
    },
    optional(...expected: number[]): Element | null {
      const child = children[at];
      if (child === undefined || !expected.includes(child.tag)) return null;
      at += 1;
      return child;
    },
    end(): void {
      if (at !== children.length) throw new NotDer('elements behind the last one');
    },
  };
}

function readAt(bytes: Buffer, start: number): Element {
  const tag = bytes[start];
  const first = bytes[start + 1];
  if (tag === undefined || first === undefined) throw new NotDer('it ends too early');
  // Certificates have no tags of more than one byte.
  if ((tag & 0x1f) === 0x1f) throw new NotDer('a tag of several bytes');
  let length = first;
  let contentAt = start + 2;
  if (first >= 0x80) {
    const octets = first - 0x80;
    if (octets === 0) throw new NotDer('an indefinite length');
    if (octets > 3 || contentAt + octets > bytes.length) throw new NotDer('a length beyond the end');
    length = bytes.readUIntBE(contentAt, octets);
    contentAt += octets;
    const fewest = length < 0x80 ? 0 : Math.ceil((32 - Math.clz32(length)) / 8);
    if (octets !== fewest) throw new NotDer('a length in more octets than it needs');
  }
  const end = contentAt + length;
  if (end > bytes.length) throw new NotDer('a length beyond the end');
  return { tag, content: bytes.subarray(contentAt, end), raw: bytes.subarray(start, end) };
}
