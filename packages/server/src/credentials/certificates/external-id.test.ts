import type { ExternalIdClaim } from '@edge-controller/shared-types';
import { describe, expect, it } from 'vitest';
import { dns, email, subjectAltNames, uri } from '../../../test/support/certificate-extensions.ts';
import { ascii, der, nameOf, write } from '../../../test/support/certificate-writer.ts';
import { leafExtensions } from '../../../test/support/chain.ts';
import { externalIdOf } from './external-id.ts';

type Sent = Partial<ExternalIdClaim>;
const claim = (changes: Sent): ExternalIdClaim => ({
  ...{ location: 'COMMON_NAME', matcher: 'ALL', matcherCriteria: '', parser: 'NONE', parserCriteria: '', index: 0 },
  ...changes,
});
const leaf = (subject: string | Buffer, ...names: readonly Buffer[]) => {
  const extensions = names.length === 0 ? leafExtensions : [...leafExtensions, subjectAltNames(names)];
  return write({ issuer: null, subject, extensions }).der;
};
const [cn, organization, emailType] = ['2.5.4.3', '2.5.4.10', '1.2.840.113549.1.9.1'] as const;
const prefix = (matcherCriteria: string): Sent => ({ matcher: 'PREFIX', matcherCriteria });
const suffix = (matcherCriteria: string): Sent => ({ matcher: 'SUFFIX', matcherCriteria });
const split = (parserCriteria: string, index: number): Sent => ({ parser: 'SPLIT', parserCriteria, index });

describe('a common name', () => {
  it.each<[string, Sent, string | Buffer, string | null]>([
    ['is taken as it is', {}, ' Pump  7 ', ' Pump  7 '],
    ['keeps its case', {}, 'PuMp', 'PuMp'],
    ['may have any letters', {}, 'Grüße 北京', 'Grüße 北京'],
    ['has only one value', { index: 1 }, 'pump', null],
    ['may be empty', {}, '', null],
    ['may be missing', {}, nameOf([organization, 'Example']), null],
    ['is that of the subject alone', {}, nameOf([organization, 'x'], [cn, 'pump']), 'pump'],
    ['is the last one', {}, nameOf([cn, 'Users'], [cn, 'pump'], [organization, 'x']), 'pump'],
    ['may be a BMPString', {}, nameOf([cn, der(0x1e, Buffer.from('00700075', 'hex'))]), 'pu'],
    ['may be a PrintableString', {}, nameOf([cn, der(0x13, ascii('pump'))]), 'pump'],
    ['is not an INTEGER', {}, nameOf([cn, der(0x02, Buffer.from([5]))]), null],
    ['loses a prefix', prefix('dev-'), 'dev-7', '7'],
    ['needs the prefix', prefix('dev-'), 'prod-7', null],
    ['needs the prefix at its beginning', prefix('dev-'), 'x-dev-7', null],
    ['needs the case of the prefix', prefix('dev-'), 'DEV-7', null],
    ['loses a prefix once', prefix('a'), 'aab', 'ab'],
    ['needs more than the prefix', prefix('dev-'), 'dev-', null],
    ['loses a suffix', suffix('.example'), 'pump.example', 'pump'],
    ['needs the suffix', suffix('.example'), 'pump.example.org', null],
    ['loses a suffix once', suffix('a'), 'baa', 'ba'],
    ['needs more than the suffix', suffix('pump'), 'pump', null],
    ['is split', split('/', 1), 'plant/pump/7', 'pump'],
    ['is split at the whole criteria', split('::', 1), 'a:b::c', 'c'],
    ['is split after the prefix is gone', { ...prefix('x/'), ...split('/', 0) }, 'x/a/b', 'a'],
    ['has no part behind the last one', split('/', 3), 'a/b/c', null],
    ['has an empty part between two separators', split('/', 1), 'a//c', null],
    ['counts empty parts', split('/', 2), 'a//c', 'c'],
    ['is its only part without the separator', split('/', 0), 'pump', 'pump'],
    ['is not split without a parser', { parserCriteria: '/' }, 'a/b', 'a/b'],
    ['has no control characters', {}, 'pump\0admin', null],
    ['has no line breaks', {}, 'pump\n', null],
    ['may have 500 characters', {}, 'x'.repeat(500), 'x'.repeat(500)],
    ['may not have 501', {}, 'x'.repeat(501), null],
    ['may be a regular expression', { ...prefix('.*('), ...split('[', 1) }, '.*(a[b', 'b'],
  ])('%s', (_, changes, subject, expected) => {
    expect(externalIdOf(leaf(subject), claim(changes))).toBe(expected);
  });
});

describe('a URI', () => {
  const location = 'SAN_URI';
  const scheme = (matcherCriteria: string): Sent => ({ location, matcher: 'SCHEME', matcherCriteria });
  const names = [
    dns('example.org'),
    uri('https://example.org/7'),
    email('a@example.org'),
    uri('spiffe://net/device/7'),
  ];
  it.each<[string, Sent, string | null]>([
    ['is taken as it is', { location }, 'https://example.org/7'],
    ['has its place among the URIs', { location, index: 1 }, 'spiffe://net/device/7'],
    ['has no place behind the last one', { location, index: 2 }, null],
    ['with a scheme is kept whole', scheme('spiffe'), 'spiffe://net/device/7'],
    ['has its place among those with the scheme', { ...scheme('spiffe'), index: 1 }, null],
    ['matches a scheme in any case', scheme('SPIFFE'), 'spiffe://net/device/7'],
    ['matches a whole scheme', scheme('spiff'), null],
    ['is split', { ...scheme('spiffe'), ...split('/', 4) }, '7'],
    ['is split, all parts in one list', { location, ...split('/', 7) }, 'device'],
  ])('%s', (_, changes, expected) => {
    expect(externalIdOf(leaf('pump', ...names), claim(changes))).toBe(expected);
  });
});

describe('an e-mail address', () => {
  const location = 'SAN_EMAIL';
  const names = [email('a@one.example'), uri('mailto:x@y.example'), email('b@two.example')];
  it.each<[string, Sent, string | null]>([
    ['is taken as it is', { location }, 'a@one.example'],
    ['loses a suffix', { location, ...suffix('@two.example') }, 'b'],
    ['loses a prefix', { location, ...prefix('b@') }, 'two.example'],
    ['is split, all parts in one list', { location, ...split('@', 3) }, 'two.example'],
  ])('%s', (_, changes, expected) => {
    expect(externalIdOf(leaf('pump', ...names), claim(changes))).toBe(expected);
  });

  it('in the subject does not count', () => {
    const subject = nameOf([cn, 'pump'], [emailType, der(0x16, ascii('a@one.example'))]);
    expect(externalIdOf(leaf(subject), claim({ location }))).toBeNull();
  });
});

it('is in no certificate that breaks a rule by itself, and in nothing else', () => {
  const twice = write({ issuer: null, subject: 'pump', extensions: [...leafExtensions, ...leafExtensions] });
  expect(externalIdOf(twice.der, claim({}))).toBeNull();
  expect(externalIdOf(Buffer.from('3000', 'hex'), claim({}))).toBeNull();
  expect(externalIdOf(Buffer.alloc(0), claim({}))).toBeNull();
  expect(externalIdOf(Buffer.alloc(1_000_000), claim({}))).toBeNull();
});

it('is found in linear time in the largest certificate', () => {
  const many = leaf('x/'.repeat(5_000), ...Array.from({ length: 200 }, () => email(`${'a@'.repeat(10)}b`)));
  expect(many.length).toBeGreaterThan(14_000);
  const before = process.cpuUsage();
  for (let run = 0; run < 20; run += 1) {
    externalIdOf(many, claim({ ...split('/', 1_000), ...prefix('x'.repeat(500)) }));
    externalIdOf(many, claim({ location: 'SAN_EMAIL', ...split('@', 1_000) }));
  }
  expect(process.cpuUsage(before).user / 1_000 / 40).toBeLessThan(50);
});
