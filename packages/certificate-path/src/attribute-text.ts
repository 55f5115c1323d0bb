/** The names of attribute types in texts, as OpenSSL has them. */
const shortNames: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.4': 'SN',
  '2.5.4.5': 'serialNumber',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.9': 'street',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '2.5.4.12': 'title',
  '2.5.4.17': 'postalCode',
  '2.5.4.42': 'GN',
  '0.9.2342.19200300.100.1.1': 'UID',
  '0.9.2342.19200300.100.1.25': 'DC',
  '1.2.840.113549.1.9.1': 'emailAddress',
};

/** An attribute of a distinguished name. */
export interface NameAttribute {
  /** Object identifier. */
  readonly type: string;
  /** `null` when the value is no text. */
  readonly text: string | null;
  /** DER of the value. */
  readonly raw: Buffer;
}

/** An attribute for people, such as `CN=device 7`. Nothing is escaped. */
export function shownAttribute({ type, text, raw }: NameAttribute): string {
  return `${shortNames[type] ?? type}=${text ?? `#${raw.toString('hex')}`}`;
}

/** An attribute as RFC 4514 writes it, such as `CN=pump\, old`. */
export function attributeText(attribute: NameAttribute): string {
  const { text } = attribute;
  return shownAttribute(text === null ? attribute : { ...attribute, text: escaped(text) });
}

/** RFC 4514, section 2.4. Control characters are escaped, too. */
function escaped(text: string): string {
  return text.replace(/^[ #]|[ "+,;<>\\]$|["+,;<>\\]/g, '\\$&').replace(/\p{Cc}/gu, inHex);
}

function inHex(character: string): string {
  return [...Buffer.from(character)].map((byte) => `\\${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}
