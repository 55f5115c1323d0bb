import { generateKeyPairSync } from 'node:crypto';
import { expect, it, test } from 'vitest';
import * as x from '../../server/test/support/certificate-extensions.ts';
import { newKeys, now } from '../../server/test/support/certificate-writer.ts';
import { issuerExtensions, writeIntermediate, writeLeaf, writeRoot } from '../../server/test/support/chain.ts';
import type { IssuerOptions } from './issuer-flaw.ts';
import { issuerFlaw } from './issuer-flaw.ts';

type Changes = Parameters<typeof writeRoot>[0];

function ruleOf(der: Buffer, options: Partial<IssuerOptions> = {}): string | null {
  const flaw = issuerFlaw({ der, at: now, requiredExtendedKeyUsage: x.purposes.clientAuth, ...options });
  return flaw?.rule ?? null;
}

it('finds nothing wrong with a root or an intermediate', () => {
  const root = writeRoot();
  expect(ruleOf(root.der)).toBeNull();
  expect(ruleOf(writeIntermediate(root).der)).toBeNull();
  expect(ruleOf(writeRoot({ extensions: [x.basicConstraints(true)] }).der)).toBeNull();
});

const offCurve = () => {
  const spki = newKeys().publicKey.export({ type: 'spki', format: 'der' });
  spki.fill(1, spki.length - 32);
  return spki;
};

it.each<[string, string, () => Changes]>([
  ['version', 'version 1', () => ({ version: 1, extensions: [] })],
  ['not-a-ca', 'no extensions', () => ({ extensions: [] })],
  ['not-a-ca', 'CA:FALSE', () => ({ extensions: [x.basicConstraints(false)] })],
  ['not-a-ca', 'basicConstraints that are not critical', () => ({ extensions: [x.basicConstraints(true, 0, false)] })],
  ['key-usage', 'no keyCertSign', () => ({ extensions: [x.basicConstraints(true), x.keyUsage(x.digitalSignature)] })],
  ['weak-key', 'RSA with 1,024 bits', () => ({ keys: generateKeyPairSync('rsa', { modulusLength: 1024 }) })],
  ['weak-key', 'P-224', () => ({ keys: generateKeyPairSync('ec', { namedCurve: 'P-224' }) })],
  ['weak-key', 'a point that is not on its curve', () => ({ spki: offCurve() })],
  ['expired', 'an end in the past', () => ({ notAfter: new Date(now - 1000) })],
  ['not-yet-valid', 'a beginning in the future', () => ({ notBefore: new Date(now + 1000) })],
  [
    'extended-key-usage',
    'a purpose that is not the one',
    () => ({ extensions: [...issuerExtensions, x.extendedKeyUsage(x.purposes.serverAuth)] }),
  ],
  [
    'unknown-critical-extension',
    'an unknown critical extension',
    () => ({ extensions: [...issuerExtensions, x.extension('1.2.3.4', true, Buffer.from('0500', 'hex'))] }),
  ],
])('refuses with %s an issuer with %s', (rule, _, changes) => {
  expect(ruleOf(writeRoot(changes()).der)).toBe(rule);
});

it('refuses a leaf, and what is no certificate', () => {
  const root = writeRoot();
  expect(ruleOf(writeLeaf(root).der)).toBe('not-a-ca');
  expect(ruleOf(Buffer.from('no certificate'))).toBe('malformed');
  expect(ruleOf(Buffer.concat([root.der, Buffer.from([0])]))).toBe('malformed');
  expect(ruleOf(Buffer.alloc(20_000))).toBe('too-large');
});

it('checks neither dates nor purpose when it is told so', () => {
  const expired = writeRoot({ notAfter: new Date(now - 1000) });
  expect(ruleOf(expired.der, { at: null })).toBeNull();
  const forServers = writeRoot({ extensions: [...issuerExtensions, x.extendedKeyUsage(x.purposes.serverAuth)] });
  expect(ruleOf(forServers.der, { requiredExtendedKeyUsage: null })).toBeNull();
});

test('the message says what is wrong', () => {
  const flaw = issuerFlaw({ der: writeRoot({ extensions: [] }).der, at: now, requiredExtendedKeyUsage: null });
  expect(flaw).toEqual({ rule: 'not-a-ca', message: 'an issuer without critical basicConstraints with CA:TRUE' });
});
