import { X509Certificate } from 'node:crypto';
import { expect, it } from 'vitest';
import { der, nameOf, oid, sequence } from '../../server/test/support/certificate-writer.ts';
import { writeLeaf, writeRoot } from '../../server/test/support/chain.ts';
import { readCertificate } from './certificate.ts';

const root = writeRoot();
const cn = '2.5.4.3';
const subjectOf = (subject: Buffer) => {
  const leaf = writeLeaf(root, { subject }).der;
  return { text: readCertificate(leaf).subject.rfc4514, der: leaf };
};

it.each([
  ['a device', 'CN=a device'],
  ['Gerät 7 €', 'CN=Gerät 7 €'],
  ['a,b;c+d"e\\f<g>h', 'CN=a\\,b\\;c\\+d\\"e\\\\f\\<g\\>h'],
  [' a#b ', 'CN=\\ a#b\\ '],
  ['#a', 'CN=\\#a'],
  [' ', 'CN=\\ '],
  [',', 'CN=\\,'],
  ['a\nb\0', 'CN=a\\0Ab\\00'],
  ['a=b', 'CN=a=b'],
])('%j is written as RFC 4514 says, and as OpenSSL does', (value, expected) => {
  const { text, der: leaf } = subjectOf(nameOf([cn, value]));
  expect(text).toBe(expected);
  expect(new X509Certificate(leaf).subject).toBe(expected);
});

it('begins with the last part, and has the names of types that OpenSSL has', () => {
  const types = [
    ...[
      '2.5.4.6',
      '2.5.4.8',
      '2.5.4.7',
      '2.5.4.9',
      '2.5.4.17',
      '2.5.4.10',
      '2.5.4.11',
      '2.5.4.12',
      '2.5.4.4',
      '2.5.4.42',
    ],
    ...['2.5.4.5', '0.9.2342.19200300.100.1.25', '0.9.2342.19200300.100.1.1', '1.2.840.113549.1.9.1', '1.2.3.4', cn],
  ];
  const { text, der: leaf } = subjectOf(nameOf(...types.map((type, at) => [type, `${at}`] as const)));
  expect(text).toBe(new X509Certificate(leaf).subject.split('\n').reverse().join());
  expect(text).toMatch(/^CN=15,1\.2\.3\.4=14,emailAddress=13,/);
});

it('joins the attributes of one part with a plus, and shows in hex what is no text', () => {
  const attribute = (type: string, value: Buffer) => sequence(oid(type), value);
  const many = der(
    0x31,
    attribute(cn, der(0x0c, Buffer.from('a'))),
    attribute('2.5.4.10', der(0x02, Buffer.from([7]))),
  );
  expect(subjectOf(sequence(many)).text).toBe('CN=a+O=#020107');
});
