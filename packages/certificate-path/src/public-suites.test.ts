import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { extendedKeyUsages, verifyChain } from './verify-chain.ts';

/**
 * Runs public suites that are not part of this repository, from the directory in `CHAIN_SUITES`:
 * `nist-pkits` is `src/crypto/x509/testdata/nist-pkits` of the Go source; `bettertls.json` is written by
 * `go run ./test-suites/cmd/bettertls export-tests --out bettertls.json` in github.com/Netflix/bettertls.
 */
const directory = process.env.CHAIN_SUITES ?? '';
const json = (...path: readonly string[]) => JSON.parse(readFileSync(join(directory, ...path), 'utf8'));

interface PkitsCase {
  readonly Name: string;
  readonly CertPath: readonly string[];
  readonly ShouldValidate: boolean;
  readonly InitialPolicySet: readonly string[];
  readonly InitialPolicyMappingInhibit: boolean;
  readonly InitialExplicitPolicy: boolean;
  readonly InitialAnyPolicyInhibit: boolean;
}

interface BetterTlsCase {
  readonly id: number;
  readonly certificates: readonly string[];
  readonly hostname: string;
  readonly expected: 'ACCEPT' | 'REJECT';
}

/** Valid by PKITS, and refused by rules that are stricter than RFC 5280 on purpose. */
const stricter: Readonly<Record<string, string>> = {
  '4.1.4': 'weak-key',
  '4.1.5': 'weak-key',
  '4.6.4': 'not-a-ca',
  '4.6.8': 'ca-as-leaf',
  '4.6.14': 'ca-as-leaf',
  '4.8.6': 'ca-as-leaf',
  '4.14.13': 'ca-as-leaf',
};
/** Invalid by PKITS only because of a revocation list. Sections 4.4, 4.14 and 4.15 are about nothing else. */
const revoked = ['4.5.2', '4.5.5', '4.5.7', '4.7.4', '4.7.5'];

describe.skipIf(directory === '')('public suites', () => {
  test('NIST PKITS', () => {
    const cases: readonly PkitsCase[] = json('nist-pkits', 'vectors.json');
    const differences: string[] = [];
    for (const one of cases) {
      const [number = '', section] = /^(4\.\d+)[.\d]*/.exec(one.Name) ?? [];
      if (hasInitialPolicies(one)) continue;
      const [anchor, ...below] = one.CertPath.map((name) => readFileSync(join(directory, 'nist-pkits', 'certs', name)));
      const leaf = below.pop();
      if (!anchor || !leaf) throw new Error(`${one.Name} has no path`);
      const at = Date.UTC(2026, 0, 1);
      const result = verifyChain({ leaf, bag: below, anchors: [anchor], at, requiredExtendedKeyUsage: null });
      const onlyRevoked = revoked.includes(number) || ['4.4', '4.14', '4.15'].includes(section ?? '');
      const expected = one.ShouldValidate ? (stricter[number] ?? 'valid') : onlyRevoked ? 'valid or not' : 'not';
      const actual = result.valid ? 'valid' : one.ShouldValidate ? result.rule : 'not';
      if (expected !== 'valid or not' && actual !== expected) differences.push(`${one.Name}: ${actual}`);
    }
    expect(cases.length).toBeGreaterThan(200);
    expect(differences).toEqual([]);
  });

  test('BetterTLS', () => {
    const { suites, trustRoot } = json('bettertls.json');
    const anchors = [Buffer.from(trustRoot, 'base64')];
    const differences: string[] = [];
    for (const [name, suite] of Object.entries<{ testCases: readonly BetterTlsCase[] }>(suites)) {
      for (const { id, certificates, hostname, expected } of suite.testCases) {
        const [leaf, ...bag] = certificates.map((der) => Buffer.from(der, 'base64'));
        if (!leaf) throw new Error(`${name} ${id} has no leaf`);
        const { serverAuth } = extendedKeyUsages;
        const result = verifyChain({ leaf, bag, anchors, at: Date.now(), requiredExtendedKeyUsage: serverAuth });
        const tooMany = !result.valid && result.rule === 'too-many-certificates';
        const accepted = result.valid && isFor(leaf, hostname);
        if (!tooMany && accepted !== (expected === 'ACCEPT')) differences.push(`${name} ${id}`);
      }
    }
    expect(differences).toEqual([]);
  });
});

function hasInitialPolicies(one: PkitsCase): boolean {
  const isDefault = one.InitialPolicySet.join() === 'anyPolicy';
  return !isDefault || one.InitialPolicyMappingInhibit || one.InitialExplicitPolicy || one.InitialAnyPolicyInhibit;
}

/** Host names are no part of a path. */
function isFor(leaf: Buffer, host: string): boolean {
  const certificate = new X509Certificate(leaf);
  const name = /^[\d.]+$/.test(host) ? certificate.checkIP(host) : certificate.checkHost(host, { subject: 'never' });
  return name !== undefined;
}
