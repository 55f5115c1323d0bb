import type { Element } from './der.ts';
import { NotDer, tags } from './der.ts';

/** The longest object identifier, in bytes. Those of certificates have 20 at most. */
const maxOidLength = 64;

/** Reads a BOOLEAN that is TRUE. FALSE is a default value wherever certificates have one, and DER leaves these out. */
export function readTrue({ content }: Element): true {
  if (content.length !== 1 || content[0] !== 0xff) throw new NotDer('TRUE expected');
  return true;
}

/** Returns the bytes of an INTEGER in two's complement. @throws NotDer when there are more than it needs */
export function readInteger({ content }: Element): Buffer {
  const [first, second] = content;
  if (first === undefined) throw new NotDer('an empty INTEGER');
  const redundant = (first === 0 && (second ?? 0x80) < 0x80) || (first === 0xff && (second ?? 0) >= 0x80);
  if (content.length > 1 && redundant) throw new NotDer('an INTEGER in more octets than it needs');
  return content;
}

/** Reads a number from 0. What is larger than 2^31 counts as 2^31, since it only limits lengths. */
export function readCount(element: Element): number {
  const bytes = readInteger(element);
  if ((bytes[0] ?? 0) >= 0x80) throw new NotDer('a negative number');
  return bytes.length > 4 ? 2 ** 31 : bytes.readUIntBE(0, bytes.length);
}

/** Reads a BIT STRING of whole octets: a key or a signature. */
export function readOctets({ content }: Element): Buffer {
  if (content[0] !== 0) throw new NotDer('a BIT STRING of whole octets expected');
  return content.subarray(1);
}

/**
 * Reads a BIT STRING of named bits: bit 0 of the definition is bit 0 of the number. Zero bits at the end are accepted
 * although DER leaves them out: widespread libraries write them, and they mean nothing.
 */
export function readNamedBits({ content }: Element): number {
  const [unused, ...octets] = content;
  if (unused === undefined || unused > 7 || octets.length > 2) throw new NotDer('a BIT STRING of flags expected');
  if (octets.length === 0 && unused > 0) throw new NotDer('unused bits of nothing');
  if (((octets.at(-1) ?? 0) & ((1 << unused) - 1)) !== 0) throw new NotDer('unused bits that are set');
  let flags = 0;
  octets.forEach((octet, index) => {
    for (let bit = 0; bit < 8; bit += 1) if (octet & (0x80 >> bit)) flags |= 1 << (index * 8 + bit);
  });
  return flags;
}

/** Reads an OBJECT IDENTIFIER as numbers with dots. */
export function readOid({ content }: Element): string {
  if (content.length === 0 || content.length > maxOidLength) throw new NotDer('an OBJECT IDENTIFIER of that length');
  let text = '';
  let start = 0;
  let short = 0;
  for (let at = 0; at < content.length; at += 1) {
    const byte = content[at] ?? 0;
    if (at === start && byte === 0x80) throw new NotDer('an OBJECT IDENTIFIER in more octets than it needs');
    short = short * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    // Seven octets fit into a number, and almost all arcs are shorter.
    const arc = at - start < 7 ? short : readLongArc(content.subarray(start, at + 1));
    if (start > 0) text += `.${arc}`;
    else text = arc < 80 ? `${Math.floor(Number(arc) / 40)}.${Number(arc) % 40}` : `2.${BigInt(arc) - 80n}`;
    start = at + 1;
    short = 0;
  }
  if (start !== content.length) throw new NotDer('an OBJECT IDENTIFIER that ends too early');
  return text;
}

function readLongArc(octets: Buffer): bigint {
  return octets.reduce((sum, octet) => sum * 128n + BigInt(octet & 0x7f), 0n);
}

/** Reads UTCTime or GeneralizedTime in the forms of RFC 5280, section 4.1.2.5. Returns seconds since 1970. */
export function readTime({ tag, content }: Element): number {
  const text = content.toString('latin1');
  const utc = tag === tags.utcTime;
  if (!(utc ? /^\d{12}Z$/ : /^\d{14}Z$/).test(text)) throw new NotDer('a time in another form');
  const digits = utc ? `${text < '50' ? '20' : '19'}${text}` : text;
  const iso = digits.replace(/(....)(..)(..)(..)(..)(..)Z/, '$1-$2-$3T$4:$5:$6.000Z');
  const time = Date.parse(iso);
  // An hour of 24 or February 30 would move on to the next day or month.
  if (Number.isNaN(time) || new Date(time).toISOString() !== iso) throw new NotDer('a time that does not exist');
  return time / 1000;
}
