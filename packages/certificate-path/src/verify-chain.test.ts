import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import { openPki } from '../../server/src/pki/pki.ts';
import * as x from '../../server/test/support/certificate-extensions.ts';
import { now } from '../../server/test/support/certificate-writer.ts';
import {
  issuerExtensions,
  leafExtensions,
  outcome,
  verify,
  writeIntermediate,
  writeLeaf,
  writeRoot,
} from '../../server/test/support/chain.ts';
import { extendedKeyUsages, verifyChain } from './verify-chain.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'chain-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const derOf = (pem: string) => Buffer.from(pem.replace(/-----[^-]+-----/g, ''), 'base64');

test('the certificates of the controller are valid for their purpose', async () => {
  const { current } = await openPki({ dir: join(directory, 'pki'), names: [], clock: () => now });
  const chain = current.serverPath.map((pem) => ({ der: derOf(pem) }) as never);
  expect(outcome(verify(chain, { requiredExtendedKeyUsage: extendedKeyUsages.serverAuth }))).toBe('valid');
  expect(outcome(verify(chain))).toBe('extended-key-usage at 0');
  expect(outcome(verify(chain, { requiredExtendedKeyUsage: null }))).toBe('valid');
});

it('agrees with OpenSSL on chains of every kind that both support', async () => {
  const pem = (der: Buffer) => `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;
  const openssl = async (certificates: readonly Buffer[]) => {
    const [leaf = '', ca = '', root = ''] = certificates.map(pem);
    const files = { leaf, ca, root };
    for (const [name, text] of Object.entries(files)) await writeFile(join(directory, name), text);
    const path = (name: string) => join(directory, name);
    const flags = [
      '-attime',
      `${now / 1000}`,
      '-purpose',
      'sslclient',
      '-policy',
      x.anyPolicy,
      '-CAfile',
      path('root'),
    ];
    try {
      execFileSync('openssl', ['verify', ...flags, '-untrusted', path('ca'), path('leaf')], { stdio: 'pipe' });
      return true;
    } catch {
      return false;
    }
  };
  const [dns, email, policy] = [x.dns('example.com'), x.email('example.com'), '1.2.3'];
  const issuers = [
    [],
    [x.nameConstraints({ permitted: [dns] })],
    [x.nameConstraints({ excluded: [dns, email] })],
    [x.extendedKeyUsage(x.purposes.serverAuth)],
    [x.policies(policy), x.policyConstraints({ requireExplicit: 0 })],
  ];
  const leaves = [
    [],
    [x.subjectAltNames([dns])],
    [x.subjectAltNames([x.dns('a.example.com'), x.email('a@example.org')])],
    [x.subjectAltNames([x.email('a@example.com')])],
    [x.extendedKeyUsage(x.purposes.clientAuth)],
    [x.extendedKeyUsage(x.purposes.serverAuth)],
    [x.policies(policy)],
  ];
  for (const issuer of issuers) {
    for (const own of leaves) {
      const root = writeRoot();
      const keys = writeRoot().keys;
      const ids = [x.subjectKeyId(keys), x.authorityKeyId(root.keys)];
      const ca = writeIntermediate(root, { keys, extensions: [...issuerExtensions, ...ids, ...issuer] });
      // OpenSSL takes a common name that could be a host for a DNS name.
      const leaf = writeLeaf(ca, {
        subject: 'device 7',
        extensions: [...leafExtensions, x.authorityKeyId(keys), ...own],
      });
      const chain = [leaf, ca, root];
      expect(verify(chain).valid).toBe(await openssl(chain.map(({ der }) => der)));
    }
  }
});

test('an anchor is read again when it comes in another buffer', () => {
  const root = writeRoot();
  const leaf = writeLeaf(root);
  const options = { leaf: leaf.der, bag: [], at: now, requiredExtendedKeyUsage: null };
  const copy = Buffer.from(root.der);
  expect(verifyChain({ ...options, anchors: [root.der] }).valid).toBe(true);
  const result = verifyChain({ ...options, anchors: [Buffer.alloc(3), copy] });
  expect(result.valid && result.path[1] === copy).toBe(true);
});

it('does not trust certificates that are often sent, and uses them only when they are sent', () => {
  const root = writeRoot();
  const intermediate = writeIntermediate(root);
  const chain = [writeLeaf(intermediate), intermediate, root];
  const oftenSent = [intermediate.der];
  expect(outcome(verify(chain, { bag: [], oftenSent }))).toBe('unknown-issuer at 0');
  expect(outcome(verify(chain, { anchors: [], oftenSent }))).toBe('unknown-issuer at 1');
  const sent = Buffer.from(intermediate.der);
  for (const attempt of [1, 2]) expect(verify(chain, { bag: [sent], oftenSent }), `${attempt}`).toEqual(verify(chain));
  const broken = Buffer.from('not a certificate');
  expect(verify(chain, { bag: [broken], oftenSent: [broken] })).toEqual(verify(chain, { bag: [broken] }));
});
