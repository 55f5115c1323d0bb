import { expect, it } from 'vitest';
import * as x from '../../server/test/support/certificate-extensions.ts';
import { ascii, commonName, der, nameOf } from '../../server/test/support/certificate-writer.ts';
import { leafExtensions, writeLeaf, writeRoot } from '../../server/test/support/chain.ts';
import { readSubjectNames } from './subject-names.ts';

const root = writeRoot();
const cn = '2.5.4.3';

it('returns names as they were written', () => {
  const names = [
    x.uri('spiffe://Example.com/Device/7?x=%20'),
    x.dns('example.com'),
    x.email('First.Last@Example.com'),
    x.uri('urn:uuid:1'),
    x.email('other@example.com'),
    x.directoryName(commonName('inside of subjectAltName')),
  ];
  const subject = nameOf(
    ['2.5.4.10', 'Example'],
    [cn, 'Fleet'],
    [cn, '  Device  7 '],
    ['1.2.840.113549.1.9.1', 'a@b.c'],
  );
  const leaf = writeLeaf(root, { subject, extensions: [...leafExtensions, x.subjectAltNames(names)] });
  expect(readSubjectNames(leaf.der)).toEqual({
    commonNames: ['Fleet', '  Device  7 '],
    emails: ['First.Last@Example.com', 'other@example.com'],
    uris: ['spiffe://Example.com/Device/7?x=%20', 'urn:uuid:1'],
  });
});

it.each([
  ['UTF8String', der(0x0c, Buffer.from('Gerät 7')), 'Gerät 7'],
  ['PrintableString', der(0x13, ascii('device 7')), 'device 7'],
  ['BMPString', der(0x1e, Buffer.from('7', 'utf16le').swap16()), '7'],
  ['UTF8String with a zero', der(0x0c, Buffer.from('a\0b')), 'a\0b'],
])('reads a common name that is a %s', (_, value, text) => {
  expect(readSubjectNames(writeLeaf(root, { subject: nameOf([cn, value]) }).der)?.commonNames).toEqual([text]);
});

it('leaves out a common name that is no text', () => {
  const subject = nameOf([cn, der(0x02, Buffer.from([7]))]);
  expect(readSubjectNames(writeLeaf(root, { subject }).der)).toEqual({ commonNames: [], emails: [], uris: [] });
});

it('returns null for what is no certificate, or a malformed one', () => {
  expect(readSubjectNames(Buffer.from('no certificate'))).toBeNull();
  const twice = x.subjectAltNames([x.uri('a:b')]);
  expect(readSubjectNames(writeLeaf(root, { extensions: [twice, twice] }).der)).toBeNull();
});
