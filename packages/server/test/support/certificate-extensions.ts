import type { KeyPair } from './certificate-writer.ts';
import { ascii, der, derTrue, keyId, oid, sequence } from './certificate-writer.ts';

/** Writes extensions. What is not said is as RFC 5280 wants it. */

export function extension(id: string, critical: boolean, value: Buffer): Buffer {
  return sequence(oid(id), ...(critical ? [derTrue] : []), der(0x04, value));
}

export const number = (value: number, tag = 0x02) => {
  return der(tag, value < 0x80 ? Buffer.from([value]) : Buffer.from([value >> 8, value & 0xff]));
};

export function basicConstraints(ca: boolean, pathLength?: number, critical = true): Buffer {
  const parts = [...(ca ? [derTrue] : []), ...(pathLength === undefined ? [] : [number(pathLength)])];
  return extension('2.5.29.19', critical, sequence(...parts));
}

/** One octet of flags: 0x80 is digitalSignature, 0x04 keyCertSign. */
export function keyUsage(flags: number, critical = true): Buffer {
  const unused = flags === 0 ? 0 : 31 - Math.clz32(flags & -flags);
  return extension('2.5.29.15', critical, der(0x03, flags === 0 ? Buffer.from([0]) : Buffer.from([unused, flags])));
}
export const [digitalSignature, keyEncipherment, keyCertSign] = [0x80, 0x20, 0x04];

export function extendedKeyUsage(...purposes: readonly string[]): Buffer {
  return extension('2.5.29.37', false, sequence(...purposes.map(oid)));
}
export const purposes = {
  any: '2.5.29.37.0',
  serverAuth: '1.3.6.1.5.5.7.3.1',
  clientAuth: '1.3.6.1.5.5.7.3.2',
} as const;

export const dns = (text: string) => der(0x82, ascii(text));
export const email = (text: string) => der(0x81, ascii(text));
export const uri = (text: string) => der(0x86, ascii(text));
/** Octets with dots: an address, or an address and a mask. */
export const ip = (text: string) => der(0x87, Buffer.from(text.split('.').map(Number)));
export const directoryName = (name: Buffer) => der(0xa4, name);
export const otherName = (type: string) => der(0xa0, oid(type), der(0xa0, der(0x0c, ascii('x'))));
export const registeredId = (id: string) => der(0x88, oid(id).subarray(2));

export function subjectAltNames(names: readonly Buffer[], critical = false): Buffer {
  return extension('2.5.29.17', critical, sequence(...names));
}

export function nameConstraints(
  { permitted = [], excluded = [] }: { permitted?: readonly Buffer[]; excluded?: readonly Buffer[] },
  critical = true,
): Buffer {
  const list = (tag: number, bases: readonly Buffer[]) => {
    return bases.length === 0 ? [] : [der(tag, ...bases.map((base) => sequence(base)))];
  };
  return extension('2.5.29.30', critical, sequence(...list(0xa0, permitted), ...list(0xa1, excluded)));
}

export const anyPolicy = '2.5.29.32.0';
export function policies(...ids: readonly string[]): Buffer {
  return extension('2.5.29.32', false, sequence(...ids.map((id) => sequence(oid(id)))));
}
export function policyMappings(...pairs: readonly (readonly [string, string])[]): Buffer {
  return extension('2.5.29.33', true, sequence(...pairs.map(([from, to]) => sequence(oid(from), oid(to)))));
}
export function policyConstraints(
  { requireExplicit, inhibitMapping }: { requireExplicit?: number; inhibitMapping?: number },
  critical = true,
): Buffer {
  const parts = [
    ...(requireExplicit === undefined ? [] : [number(requireExplicit, 0x80)]),
    ...(inhibitMapping === undefined ? [] : [number(inhibitMapping, 0x81)]),
  ];
  return extension('2.5.29.36', critical, sequence(...parts));
}
export const inhibitAnyPolicy = (certificates: number) => extension('2.5.29.54', true, number(certificates));

export const subjectKeyId = (keys: KeyPair, critical = false) => {
  return extension('2.5.29.14', critical, der(0x04, keyId(keys)));
};
export const authorityKeyId = (keys: KeyPair, critical = false) => {
  return extension('2.5.29.35', critical, sequence(der(0x80, keyId(keys))));
};
