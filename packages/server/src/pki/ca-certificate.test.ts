import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import {
  basicConstraints,
  digitalSignature,
  extendedKeyUsage,
  keyCertSign,
  keyUsage,
  purposes,
} from '../../test/support/certificate-extensions.ts';
import type { Template } from '../../test/support/certificate-writer.ts';
import { now, pemOf, write } from '../../test/support/certificate-writer.ts';
import { issuerExtensions, writeIntermediate, writeLeaf, writeRoot } from '../../test/support/chain.ts';
import { ApiError } from '../core/api-error.ts';
import { readCaCertificate } from './ca-certificate.ts';
import { firstCertificateOf } from './pem.ts';

const root = writeRoot();
const rsaKeys = (modulusLength: number) => generateKeyPairSync('rsa', { modulusLength });
const curveKeys = (namedCurve: string) => generateKeyPairSync('ec', { namedCurve });

function outcome(pem: string): string {
  try {
    return readCaCertificate(pem, now).fingerprint;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    expect(error.detail?.field).toBe('certPem');
    expect(error.detail).not.toHaveProperty('value', pem || 'x');
    return `${error.code} ${error.detail?.reason}`;
  }
}

const ca = (changes: Partial<Template>) =>
  pemOf(write({ issuer: null, subject: 'CA', extensions: issuerExtensions, ...changes }));
const day = 86_400_000;

it.each<[string, string]>([
  ['a root', pemOf(root)],
  ['an intermediate', pemOf(writeIntermediate(root))],
  ['RSA 2048', ca({ keys: rsaKeys(2048) })],
  ['P-384', ca({ keys: curveKeys('P-384') })],
  ['P-521', ca({ keys: curveKeys('P-521') })],
  ['one that is not valid yet', ca({ notBefore: new Date(now + day) })],
  ['one for client certificates', ca({ extensions: [...issuerExtensions, extendedKeyUsage(purposes.clientAuth)] })],
  ['one that may issue no further CA', ca({ extensions: [basicConstraints(true, 0)] })],
])('accepts %s', (_, pem) => {
  expect(outcome(pem)).toMatch(/^[0-9a-f]{40}$/);
});

it('takes the first certificate, as OpenSSL does', () => {
  const pem = `Subject: somebody\n${pemOf(root)}\n${pemOf(writeLeaf(root))}`;
  expect(outcome(pem)).toBe(outcome(pemOf(root)));
  expect(firstCertificateOf(pem)).toEqual(root.der);
});

const notCa = 'CERTIFICATE_IS_NOT_CA not-a-ca: a certificate without basicConstraints with CA:TRUE';
const block = (number: number) => `COULD_NOT_VALIDATE could not parse block #${number}`;
it.each<[string, string, string]>([
  ['an empty text', '', 'COULD_NOT_VALIDATE invalid certificate, could not parse PEM body'],
  ['what is no PEM', 'nonsense', block(1)],
  ['DER that is no certificate', pemOf({ der: Buffer.from('3000', 'hex') }), block(1)],
  ['a certificate with bytes behind it', pemOf({ der: Buffer.concat([root.der, Buffer.from([0])]) }), block(1)],
  ['a second certificate that is broken', `${pemOf(root)}-----BEGIN CERTIFICATE-----\n`, block(2)],
  ['a second certificate that is none', pemOf(root) + pemOf({ der: Buffer.from('3000', 'hex') }), block(2)],
  ['a private key behind it', pemOf(root) + pemOf({ der: Buffer.from([1]) }, 'PRIVATE KEY'), block(2)],
  ['a private key before it', pemOf({ der: Buffer.from([1]) }, 'PRIVATE KEY') + pemOf(root), block(1)],
  ['another label', pemOf(root, 'X509 CERTIFICATE'), block(1)],
  ['a leaf', pemOf(writeLeaf(root)), notCa],
  ['one without extensions', ca({ extensions: [] }), notCa],
  ['one of version 1', ca({ version: 1, extensions: [] }), notCa],
  ['a leaf before a CA', pemOf(writeLeaf(root)) + pemOf(root), notCa],
])('refuses %s', (_, pem, expected) => {
  expect(outcome(pem)).toBe(expected);
});

it.each<[string, string]>([
  ['weak-key', ca({ keys: rsaKeys(1024) })],
  ['weak-key', ca({ keys: curveKeys('secp256k1') })],
  ['not-a-ca', ca({ extensions: [basicConstraints(true, undefined, false), keyUsage(keyCertSign)] })],
  ['key-usage', ca({ extensions: [basicConstraints(true), keyUsage(digitalSignature)] })],
  ['expired', ca({ notAfter: new Date(now - day) })],
  ['expired', ca({ notBefore: new Date(now + 2 * day), notAfter: new Date(now + day) })],
  ['extended-key-usage', ca({ extensions: [...issuerExtensions, extendedKeyUsage(purposes.serverAuth)] })],
  ['duplicate-extension', ca({ extensions: [...issuerExtensions, basicConstraints(true)] })],
  ['serial-number', ca({ serialNumber: Buffer.from([0x80, 1]) })],
  ['too-large', pemOf({ der: Buffer.alloc(16_385, 0x30) })],
])('refuses what path validation never accepts: %s', (rule, pem) => {
  expect(outcome(pem)).toMatch(new RegExp(`^COULD_NOT_VALIDATE ${rule}: `));
});
