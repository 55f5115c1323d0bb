import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import * as x from '../../server/test/support/certificate-extensions.ts';
import type { Template } from '../../server/test/support/certificate-writer.ts';
import {
  ascii,
  commonName,
  contentOf,
  der,
  derTrue,
  nameOf,
  now,
  oid,
  sequence,
} from '../../server/test/support/certificate-writer.ts';
import { leafExtensions, outcome, verify, writeLeaf, writeRoot } from '../../server/test/support/chain.ts';
import { readOne } from './der.ts';
import { readName } from './distinguished-name.ts';
import { prepareText } from './prepare-text.ts';

const root = writeRoot();
const judge = (changes: Partial<Template>) => outcome(verify([writeLeaf(root, changes), root]));
const judgeBytes = (bytes: Buffer) => outcome(verify([{ ...root, der: bytes }, root]));
const valid = writeLeaf(root).der;

/** Replaces the first occurrence in the signed part. The lengths around it must stay the same. */
const replace = (from: Buffer, to: Buffer) => (tbs: Buffer) => {
  const at = tbs.indexOf(from);
  if (at < 0) throw new Error('not found');
  return Buffer.concat([tbs.subarray(0, at), to, tbs.subarray(at + from.length)]);
};

describe('only DER is read', () => {
  it.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['a part', valid.subarray(0, -1)],
    ['bytes behind the end', Buffer.concat([valid, Buffer.from([0])])],
    ['an indefinite length', Buffer.concat([Buffer.from([0x30, 0x80]), contentOf(valid), Buffer.from([0, 0])])],
    ['a length in more octets than it needs', Buffer.concat([Buffer.from([0x30, 0x83, 0]), valid.subarray(2)])],
    ['another element', der(0x31, contentOf(valid))],
    ['a PEM', Buffer.from(`-----BEGIN CERTIFICATE-----\n${valid.toString('base64')}`)],
    ['another element behind the signature', sequence(contentOf(valid), derTrue)],
  ])('%s', (_, bytes) => {
    expect(judgeBytes(bytes)).toBe('malformed at 0');
  });

  const time = (text: string, tag = 0x17) => ({ notBefore: der(tag, ascii(text)) });
  const falsy = Buffer.from('010100', 'hex');
  it.each<[string, Partial<Template>, string]>([
    ['version 1 in full', { version: 1, extensions: [], change: prependVersion(0) }, 'malformed at 0'],
    ['version 4', { version: 4 }, 'malformed at 0'],
    ['an INTEGER in more octets than it needs', { serialNumber: Buffer.from([0, 1]) }, 'malformed at 0'],
    ['an INTEGER without octets', { serialNumber: Buffer.alloc(0) }, 'malformed at 0'],
    ['no extensions in their list', { extensions: [Buffer.alloc(0)] }, 'malformed at 0'],
    ['FALSE in full', { extensions: [sequence(oid('1.2.3'), falsy, der(0x04))] }, 'malformed at 0'],
    [
      'TRUE that is 1',
      { extensions: [sequence(oid('1.2.3'), Buffer.from('010101', 'hex'), der(0x04))] },
      'malformed at 0',
    ],
    ['CA:FALSE in full', { extensions: [x.extension('2.5.29.19', true, sequence(falsy))] }, 'malformed-extension at 0'],
    [
      'an object identifier that starts with 0x80',
      { extensions: [sequence(der(0x06, Buffer.from([0x2a, 0x80, 1])), der(0x04))] },
      'malformed at 0',
    ],
    [
      'an object identifier that does not end',
      { extensions: [sequence(der(0x06, Buffer.from([0x2a, 0x81])), der(0x04))] },
      'malformed at 0',
    ],
    ['an RDN without attributes', { subject: sequence(der(0x31)) }, 'malformed at 0'],
    ['UTF8String that is not', { subject: nameOf(['2.5.4.3', der(0x0c, Buffer.from([0xff]))]) }, 'malformed at 0'],
    ['a time without seconds', time('2606010000Z'), 'malformed at 0'],
    ['a time with an offset', time('260601000000+0100'), 'malformed at 0'],
    ['a time with parts of a second', time('20260601000000.5Z', 0x18), 'malformed at 0'],
    ['a month 13', time('261301000000Z'), 'malformed at 0'],
    ['30 February', time('260230000000Z'), 'malformed at 0'],
    ['an hour 24', time('260101240000Z'), 'malformed at 0'],
    ['a time of letters', time('26010100000oZ'), 'malformed at 0'],
    ['a number as time', { notBefore: x.number(1) }, 'malformed at 0'],
  ])('%s', (_, changes, expected) => {
    expect(judge(changes)).toBe(expected);
  });

  function prependVersion(number: number) {
    return (tbs: Buffer) => sequence(der(0xa0, x.number(number)), contentOf(tbs));
  }

  it.each<[string, Partial<Template>]>([
    ['GeneralizedTime before 2050', time('20260101000000Z', 0x18)],
    ['UTCTime of the last century', time('500101000000Z')],
    ['29 February', time('240229000000Z')],
    ['version 2', { version: 2, extensions: [] }],
    [
      'an object identifier with a large arc',
      {
        extensions: [
          x.extension('1.2.3', false, Buffer.alloc(0)),
          sequence(der(0x06, Buffer.from([0x69, ...Buffer.alloc(18, 0xff), 1])), der(0x04)),
        ],
      },
    ],
    [
      'flags with zero bits at the end',
      { extensions: [x.extension('2.5.29.15', true, der(0x03, Buffer.from([0, 0x80, 0])))] },
    ],
  ])('%s is accepted', (_, changes) => {
    expect(judge(changes)).toBe('valid');
  });
});

test('unique identifiers need version 2', () => {
  const withId = (tbs: Buffer) => sequence(contentOf(tbs), der(0x81, Buffer.from([0, 1])));
  expect(judge({ version: 2, extensions: [], change: withId })).toBe('valid');
  expect(judge({ version: 1, extensions: [], change: withId })).toBe('version at 0');
});

test('one changed byte makes a certificate invalid, and never throws', () => {
  fc.assert(
    fc.property(fc.nat(valid.length - 1), fc.integer({ min: 1, max: 255 }), (at, change) => {
      const bytes = Buffer.from(valid);
      bytes.writeUInt8(bytes.readUInt8(at) ^ change, at);
      expect(judgeBytes(bytes)).not.toBe('valid');
    }),
    { numRuns: 2_000 },
  );
});

test('any bytes in the place of an extension or a name do no more than to be refused', () => {
  const ids = ['14', '15', '17', '19', '30', '32', '33', '35', '36', '37', '54'].map((last) => `2.5.29.${last}`);
  fc.assert(
    fc.property(fc.constantFrom(...ids), fc.uint8Array({ maxLength: 40 }), fc.boolean(), (id, bytes, critical) => {
      judge({ extensions: [...leafExtensions.slice(1), x.extension(id, critical, Buffer.from(bytes))] });
      judge({ extensions: [x.extension(id, critical, sequence(Buffer.from(bytes)))] });
      judge({ subject: sequence(Buffer.from(bytes)) });
    }),
    { numRuns: 300 },
  );
  expect(judgeBytes(randomBytes(500))).toBe('malformed at 0');
});

describe('names', () => {
  const key = (name: Buffer) => readName(readOne(name, 0x30)).key;
  const value = (tag: number, bytes: Buffer) => nameOf(['2.5.4.3', der(tag, bytes)]);

  it('are equal in all kinds of strings', () => {
    const expected = key(commonName('Grüße'));
    const points = [...'GRÜSSE'].flatMap((letter) => [0, 0, 0, letter.charCodeAt(0)]);
    expect(key(value(0x1c, Buffer.from(points)))).toBe(expected);
    expect(key(value(0x1e, Buffer.from(points.filter((_, index) => index % 4 > 1))))).toBe(expected);
    expect(key(value(0x14, Buffer.from('grüße', 'latin1')))).toBe(expected);
  });

  it('differ in their types, in the number of RDNs, and in their order', () => {
    const names = [
      nameOf(['2.5.4.3', 'a'], ['2.5.4.10', 'b']),
      nameOf(['2.5.4.10', 'b'], ['2.5.4.3', 'a']),
      nameOf(['2.5.4.3', 'a']),
      nameOf(['2.5.4.10', 'a']),
      nameOf(['2.5.4.3', 'a", "2.5.4.10= b']),
      sequence(
        der(0x31, sequence(oid('2.5.4.3'), der(0x0c, ascii('a'))), sequence(oid('2.5.4.10'), der(0x0c, ascii('b')))),
      ),
      value(0x04, ascii('a')),
    ];
    expect(new Set(names.map(key)).size).toBe(names.length);
  });

  it.each<[string, string]>([
    ['Straße', 'STRASSE'],
    ['ΣΑΣ', 'σας'],
    ['a\u00adb', 'ab'],
    ['a\u200bb', 'ab'],
    [' a \t\u00a0 b ', 'a b'],
    ['ﬁ', 'FI'],
    ['e\u0301', '\u00e9'],
    ['Ａ', 'a'],
  ])('%j and %j are equal', (one, other) => {
    expect(prepareText(one)).toBe(prepareText(other));
  });

  it('that are too long or have forbidden code points are equal to the same bytes only', () => {
    expect(prepareText('a\ufffd')).toBeNull();
    expect(prepareText('\ue000')).toBeNull();
    expect(prepareText('\u00e9'.repeat(1_025))).toBeNull();
    expect(key(commonName('A\ue000'))).not.toBe(key(commonName('a\ue000')));
    expect(key(commonName('a\ue000'))).toBe(key(commonName('a\ue000')));
  });

  it('show no control characters in reports', () => {
    const subject = commonName('a\r\n\u202eb');
    const result = verify([writeLeaf(root, { subject, notAfter: new Date(now - 1000) }), root]);
    expect(result).toMatchObject({ subject: 'CN=a\ufffd\ufffd\ufffdb' });
  });
});

test('a change of the signed part that is not signed is refused', () => {
  const leaf = writeLeaf(root, { subject: 'device 1' });
  const changed = replace(Buffer.from('device 1'), Buffer.from('device 2'))(leaf.der);
  expect(judgeBytes(changed)).toBe('signature at 0');
});
