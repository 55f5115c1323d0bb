import { expect, it } from 'vitest';
import { readPem } from './pem.ts';

const block = (label: string, ...lines: string[]) =>
  [`-----BEGIN ${label}-----`, ...lines, `-----END ${label}-----`].join('\n');
const read = (text: string) => readPem(text).map((one) => one && `${one.label} ${one.bytes.toString('hex')}`);

it('reads blocks in order, and ignores the text around them', () => {
  const text = `subject: x\n${block('CERTIFICATE', 'AAEC', 'AwQ=')}\nbetween\n${block('EC PRIVATE KEY', '/+8=')}\nend`;
  expect(read(text)).toEqual(['CERTIFICATE 0001020304', 'EC PRIVATE KEY ffef']);
  expect(read(text.replaceAll('\n', '\r\n'))).toEqual(read(text));
  expect(read('')).toEqual([]);
  expect(read('no PEM at all')).toEqual([]);
});

it.each([
  ['without an end', '-----BEGIN CERTIFICATE-----\nAAEC'],
  ['with the end of another label', '-----BEGIN CERTIFICATE-----\nAAEC\n-----END X509 CERTIFICATE-----'],
  ['without content', block('CERTIFICATE')],
  ['with a header', block('CERTIFICATE', 'Proc-Type: 4,ENCRYPTED', 'AAEC')],
  ['with padding inside', block('CERTIFICATE', 'AA==', 'AAEC')],
  ['with a length that is not base64', block('CERTIFICATE', 'AAECA')],
  ['in base64url', block('CERTIFICATE', '_-8=')],
])('cannot read a block %s', (_, text) => {
  expect(readPem(text)).toEqual([null]);
});

it('reads the next block after one that it cannot read', () => {
  const text = `-----BEGIN CERTIFICATE-----\nAAEC\n${block('CERTIFICATE', 'AwQ=')}`;
  expect(read(text)).toEqual([null, 'CERTIFICATE 0304']);
});

it('does not see a block behind white space, as OpenSSL does not', () => {
  expect(readPem(` ${block('CERTIFICATE', 'AAEC')}`)).toEqual([]);
});

it('reads a megabyte of hostile text in linear time', () => {
  for (const line of ['-----BEGIN CERTIFICATE-----', '-----BEGIN', '-----END CERTIFICATE-----', '=', ' ', 'AAAA']) {
    const text = `${line}\n`.repeat(Math.ceil(1_000_000 / (line.length + 1)));
    const before = process.cpuUsage();
    readPem(text);
    readPem(`-----BEGIN CERTIFICATE-----\n${text.replaceAll('\n', '')}\n-----END CERTIFICATE-----`);
    const { user } = process.cpuUsage(before);
    expect(user / 1_000, line).toBeLessThan(1_500);
  }
});
