import type { Element } from './der.ts';
import { childrenOf, constructed, NotDer, primitive, sequenceOf, tags, unwrap } from './der.ts';
import { readOid } from './der-values.ts';
import type { DistinguishedName } from './distinguished-name.ts';
import { readName } from './distinguished-name.ts';

/** A GeneralName (RFC 5280, section 4.2.1.6). */
export type GeneralName =
  | { readonly form: 'email' | 'dns' | 'uri'; readonly value: string }
  | { readonly form: 'ip'; readonly value: Buffer }
  | { readonly form: 'directoryName'; readonly value: DistinguishedName }
  /** `value`: the object identifier. */
  | { readonly form: 'otherName'; readonly value: string }
  | { readonly form: 'x400Address' | 'ediPartyName' | 'registeredID'; readonly value: null };

export type NameForm = GeneralName['form'];

/** Reads one or more names. @throws NotDer */
export function readGeneralNames(element: Element): GeneralName[] {
  const names = childrenOf(element).map(readGeneralName);
  if (names.length === 0) throw new NotDer('no names');
  return names;
}

/** Reads a name. The value of `ip` may have any length here. @throws NotDer */
export function readGeneralName(element: Element): GeneralName {
  const { tag, content } = element;
  switch (tag) {
    case constructed(0): {
      const parts = sequenceOf(element, tag);
      const type = readOid(parts.next(tags.oid));
      parts.next(constructed(0));
      parts.end();
      return { form: 'otherName', value: type };
    }
    case primitive(1):
      return { form: 'email', value: readAscii(content) };
    case primitive(2):
      return { form: 'dns', value: readAscii(content) };
    case constructed(3):
      return { form: 'x400Address', value: null };
    case constructed(4):
      return { form: 'directoryName', value: readName(unwrap(element, tags.sequence)) };
    case constructed(5):
      return { form: 'ediPartyName', value: null };
    case primitive(6):
      return { form: 'uri', value: readAscii(content) };
    case primitive(7):
      return { form: 'ip', value: content };
    case primitive(8):
      readOid(element);
      return { form: 'registeredID', value: null };
    default:
      throw new NotDer('no form of a name');
  }
}

/** IA5String, without control characters: nothing may end a name early. */
function readAscii(content: Buffer): string {
  if (content.some((byte) => byte < 0x20 || byte >= 0x7f))
    throw new NotDer('a name with characters that are not ASCII');
  return content.toString('latin1');
}
