import type { NameAttribute } from './attribute-text.ts';
import { attributeText, shownAttribute } from './attribute-text.ts';
import type { Element } from './der.ts';
import { childrenOf, expectTag, NotDer, tags } from './der.ts';
import { readOid } from './der-values.ts';
import { prepareText } from './prepare-text.ts';

/** A distinguished name, prepared for comparison. */
export interface DistinguishedName {
  /** One text per RDN, from the root of the directory. Two RDNs are equal when their texts are. */
  readonly rdns: readonly string[];
  /** All of `rdns` as one text. */
  readonly key: string;
  /** The addresses in attributes of type emailAddress. */
  readonly emails: readonly string[];
  /** As they were written, from the root of the directory. */
  readonly commonNames: readonly string[];
  /** For people, such as `CN=device 7, O=Example`. */
  readonly text: string;
  /** As RFC 4514 writes it, with the root of the directory at the end: `CN=device 7,O=Example`. */
  readonly rfc4514: string;
}

const emailAddress = '1.2.840.113549.1.9.1';
const commonName = '2.5.4.3';
const maxTextLength = 256;
/** Names in use have less than 20. Each costs time. */
const maxRdns = 100;

/**
 * Reads a Name (RFC 5280, section 4.1.2.4). Values compare as section 7.1 and RFC 4518 say: without regard to case,
 * kind of string, or the amount of white space.
 *
 * @throws NotDer
 */
export function readName(element: Element): DistinguishedName {
  const rdns: string[] = [];
  const emails: string[] = [];
  const commonNames: string[] = [];
  const all: (readonly NameAttribute[])[] = [];
  const sets = childrenOf(expectTag(element, tags.sequence));
  if (sets.length > maxRdns) throw new NotDer(`a name of ${sets.length} parts`);
  for (const rdn of sets) {
    const attributes = childrenOf(expectTag(rdn, tags.set));
    if (attributes.length === 0) throw new NotDer('an empty RDN');
    const read: NameAttribute[] = [];
    const keys = attributes.map((attribute, index) => {
      const before = attributes[index - 1];
      if (before && before.raw.compare(attribute.raw) >= 0) throw new NotDer('a SET OF that is not in order');
      const { type, value, text } = readAttribute(attribute);
      if (type === emailAddress && text !== null) emails.push(text);
      if (type === commonName && text !== null) commonNames.push(text);
      read.push({ type, text, raw: value.raw });
      return `${type}=${keyOf(value, text)}`;
    });
    rdns.push(JSON.stringify(keys.sort()));
    all.push(read);
  }
  return {
    ...{ rdns, key: rdns.join(), emails, commonNames },
    get text() {
      return printable(all.flat().map(shownAttribute).join(', '));
    },
    get rfc4514() {
      const parts = all.map((attributes) => attributes.map(attributeText).join('+'));
      return parts.reverse().join();
    },
  };
}

function readAttribute(element: Element) {
  const [type, value, ...others] = childrenOf(expectTag(element, tags.sequence));
  if (value === undefined || others.length > 0) throw new NotDer('an attribute without one value');
  return { type: readOid(expectTag(type, tags.oid)), value, text: readText(value) };
}

/** The text of a DirectoryString or IA5String, `null` for values of other types. */
function readText({ tag, content }: Element): string | null {
  switch (tag) {
    case tags.printableString:
    case tags.ia5String:
    case tags.visibleString:
      if (content.some((byte) => byte >= 0x80)) throw new NotDer('a string with bytes that are not ASCII');
      return content.toString('latin1');
    case tags.teletexString:
      return content.toString('latin1');
    case tags.utf8String:
      return decode(utf8, content);
    case tags.bmpString:
      return decode(utf16, content);
    case tags.universalString:
      return fromCodePoints(content);
    default:
      return null;
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const utf16 = new TextDecoder('utf-16be', { fatal: true, ignoreBOM: true });

function decode(decoder: typeof utf8, content: Buffer): string {
  try {
    return decoder.decode(content);
  } catch {
    throw new NotDer(`a string that is not ${decoder.encoding}`);
  }
}

function fromCodePoints(content: Buffer): string {
  if (content.length % 4 !== 0) throw new NotDer('a UniversalString of that length');
  let text = '';
  for (let at = 0; at < content.length; at += 4) {
    const point = content.readUInt32BE(at);
    if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) throw new NotDer('no code point');
    text += String.fromCodePoint(point);
  }
  return text;
}

function keyOf(value: Element, text: string | null): string {
  const prepared = text === null ? null : prepareText(text);
  // What cannot be compared as text is equal to the same bytes only.
  return prepared === null ? `#${value.raw.toString('hex')}` : ` ${prepared}`;
}

function printable(text: string): string {
  return text.slice(0, maxTextLength).replace(/[^\P{C}]/gu, '\u{fffd}');
}
