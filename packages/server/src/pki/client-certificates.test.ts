import { execFileSync } from 'node:child_process';
import { createPrivateKey, createPublicKey, X509Certificate } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  childrenOf,
  extendedKeyUsages,
  readCertificate,
  readOne,
  tags,
  verifyChain,
} from '@edge-controller/certificate-path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { der, pemOf, sequence } from '../../test/support/certificate-writer.ts';
import { writeCsr } from '../../test/support/csr.ts';
import type { KeyName } from '../../test/support/operator-pki.ts';
import { createOperatorPki, keyOf, keys, openssl } from '../../test/support/operator-pki.ts';
import { serverSubject } from './check-server.ts';
import { createNetworkPki } from './create-network-pki.ts';
import type { NetworkPki } from './network-pki.ts';
import { certificatesOf } from './pem.ts';
import type { LivePki } from './pki.ts';
import { openPki } from './pki.ts';

const now = Date.now();
const year = 365 * 86_400_000;
const uri = 'spiffe://example.org/identity/abc';
const dates = { notBefore: now - 60_000, notAfter: now + year };
let base = '';
let pki: LivePki;
let network: NetworkPki;

beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'issue-'));
  pki = await openPki({ dir: join(base, 'pki'), names: [], clock: () => now });
  network = createNetworkPki(pki);
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

let files = 0;
function csrOf(key: KeyName | { pem: string }, args: readonly string[] = ['-subj', '/O=Example/CN=device 7']): string {
  const file = join(base, `key-${++files}`);
  writeFileSync(file, typeof key === 'string' ? keyOf(key, 'of a client') : key.pem);
  return openssl(['req', '-new', '-key', file, ...args]);
}

const issue = (csr: string) => network.issueClientCertificate({ csr, uri, ...dates });

/** The reason of a refusal, as the client sees it. */
async function reasonOf(csr: string): Promise<string> {
  const error = await issue(csr).then(
    () => null,
    (reason) => reason,
  );
  expect(error).toMatchObject({ code: 'COULD_NOT_PROCESS_CSR' });
  return error.detail.message;
}

function verifyWithOpenssl(
  chainPem: string,
  { roots }: LivePki['current'],
  time = now,
  usage: 'client' | 'server' = 'client',
): string {
  const dir = join(base, `verify-${++files}`);
  mkdirSync(dir);
  const [leaf, ...others] = chainPem.split(/(?<=-----END CERTIFICATE-----\n)/);
  const root = roots.map((raw) => new X509Certificate(raw).toString()).join('');
  for (const [name, text] of Object.entries({ leaf, others: others.join(''), root }))
    writeFileSync(join(dir, name), text!);
  const flags = ['-x509_strict', '-purpose', `ssl${usage}`, '-attime', String(Math.floor(time / 1000))];
  const chain = ['-CAfile', join(dir, 'root'), '-untrusted', join(dir, 'others'), join(dir, 'leaf')];
  return execFileSync('openssl', ['verify', ...flags, ...chain], { encoding: 'utf8' });
}

describe('a client certificate', () => {
  it('has the subject of the CSR, one URI, the usages of a client, and nothing that the CSR requests', async () => {
    const requested = ['-addext', 'basicConstraints=critical,CA:TRUE', '-addext', 'subjectAltName=DNS:evil.example'];
    const issued = await issue(csrOf('p256', ['-subj', '/O=Example/CN=device 7', ...requested]));
    const text = openssl(['x509', '-noout', '-text'], issued.certPem);
    expect(text).toMatch(/Key Usage: critical\s+Digital Signature, Key Encipherment, Data Encipherment\n/);
    expect(text).toMatch(/Extended Key Usage: ?\s+TLS Web Client Authentication\n/);
    expect(text).toMatch(/Basic Constraints: critical\s+CA:FALSE/);
    expect(text).toMatch(/Subject Key Identifier/);
    const certificate = new X509Certificate(issued.certPem);
    const signing = new X509Certificate(pki.current.signingPath[0]!);
    expect(certificate.subjectAltName).toBe(`URI:${uri}`);
    expect(certificate.subject).toBe('O=Example\nCN=device 7');
    expect(certificate.issuer).toBe(signing.subject);
    expect(readCertificate(certificate.raw).extensions.authorityKeyId).toBe(
      readCertificate(signing.raw).extensions.subjectKeyId,
    );
    expect(certificate.validToDate.getTime()).toBe(Math.floor(dates.notAfter / 1000) * 1000);
    expect(issued.fingerprint).toBe(certificate.fingerprint.replaceAll(':', '').toLowerCase());
    expect(certificatesOf(issued.chainPem)).toEqual([certificate.raw, signing.raw]);
    expect(certificatesOf(network.caPem)).toEqual([...pki.current.roots, signing.raw]);
  });

  it('has a random serial number of 128 bits', async () => {
    const csr = csrOf('p256');
    const issued = await Promise.all(Array.from({ length: 20 }, () => issue(csr)));
    const serials = issued.map(({ certPem }) => BigInt(`0x${new X509Certificate(certPem).serialNumber}`));
    expect(new Set(serials).size).toBe(20);
    expect(serials.every((serial) => serial > 0n && serial < 1n << 128n)).toBe(true);
    expect(serials.some((serial) => serial >= 1n << 124n)).toBe(true);
  });

  it('keeps the bytes of the subject, whatever kinds of strings it has', async () => {
    const cn = Buffer.from('0603550403', 'hex');
    const values = {
      utf8: der(0x0c, Buffer.from('Gerät 設備')),
      printable: der(0x13, Buffer.from('device')),
      teletex: der(0x14, Buffer.from([0x41, 0xe9])),
      bmp: der(0x1e, Buffer.from([0, 0x41, 0x8a, 0x2d])),
    };
    for (const value of Object.values(values)) {
      const name = sequence(der(0x31, sequence(cn, value)), der(0x31, sequence(cn, value)));
      const { certPem } = await issue(writeCsr(name));
      expect(readSubject(certPem)).toEqual(name);
    }
    const universal = sequence(der(0x31, sequence(cn, der(0x1c, Buffer.from([0, 1, 0xf6, 0])))));
    expect(await reasonOf(writeCsr(universal))).toBe('the subject of the CSR has a value that cannot be copied');
  });

  it('has a critical URI when the CSR has no subject', async () => {
    const { certPem, chainPem } = await issue(csrOf('p256', ['-subj', '/']));
    expect(openssl(['x509', '-noout', '-text'], certPem)).toContain('Subject Alternative Name: critical');
    expect(verifyWithOpenssl(chainPem, pki.current)).toContain('OK');
  });

  it('can have a common name instead of the subject, and the names of another certificate', async () => {
    const csr = csrOf('p256');
    const first = await network.issueClientCertificate({ csr, commonName: 'a,CN=b', uri, ...dates });
    expect(readCertificate(certificatesOf(first.certPem)[0]!).subject.text).toBe('CN=a,CN=b');
    expect(readCertificate(certificatesOf(first.certPem)[0]!).subject.rdns).toHaveLength(1);
    const namesOf = certificatesOf(first.certPem)[0]!;
    const next = await network.issueClientCertificate({ csr, namesOf, uri: 'spiffe://other/identity/x', ...dates });
    expect(new X509Certificate(next.certPem).subjectAltName).toBe(`URI:${uri}`);
  });

  it('ends with its issuer, and is not issued when that has ended', async () => {
    const csr = csrOf('p256');
    const end = new X509Certificate(pki.current.signingPath[0]!).validToDate.getTime();
    const issued = await network.issueClientCertificate({ csr, uri, notBefore: now, notAfter: end + year });
    expect(new X509Certificate(issued.certPem).validToDate.getTime()).toBe(end);
    const late = network.issueClientCertificate({ csr, uri, notBefore: end, notAfter: end + year });
    await expect(late).rejects.toThrow('have expired');
  });

  it('cannot issue certificates', async () => {
    const dir = join(base, 'leaf-as-ca');
    mkdirSync(dir);
    const key = openssl(['genpkey', ...keys.p256]);
    const { certPem, chainPem } = await issue(csrOf({ pem: key }));
    writeFileSync(join(dir, 'leaf.pem'), certPem);
    writeFileSync(join(dir, 'leaf.key'), key);
    const signer = ['-CA', join(dir, 'leaf.pem'), '-CAkey', join(dir, 'leaf.key')];
    const forged = openssl(['x509', '-req', '-days', '1', ...signer], csrOf('p256', ['-subj', '/CN=admin']));
    const [leaf] = certificatesOf(forged);
    const { roots } = pki.current;
    const purpose = { requiredExtendedKeyUsage: extendedKeyUsages.clientAuth };
    const result = verifyChain({
      leaf: leaf!,
      bag: certificatesOf(chainPem),
      anchors: roots,
      at: now + 1_000,
      ...purpose,
    });
    expect(result).toMatchObject({ valid: false, rule: 'not-a-ca', position: 1 });
  });
});

describe('certificates of a router', () => {
  const names = 'DNS:r1.example.org,DNS:*.edge.example.org,IP:192.0.2.8,IP:2001:db8::8,email:a@b.org,URI:tls://r1:3022';
  const requests = ['-addext', `subjectAltName=${names}`, '-addext', 'basicConstraints=critical,CA:TRUE'];

  it.each(['client', 'server'] as const)('take subject and names from a CSR of OpenSSL: %s', async (usage) => {
    const csr = csrOf('rsa', ['-subj', '/C=US/O=Example/CN=abc', ...requests, '-addext', 'keyUsage=keyCertSign']);
    const { certPem, chainPem } = await network.issueRouterCertificate({ csr, usage, ...dates });
    const { subject, subjectAltName, keyUsage, ca } = new X509Certificate(certPem);
    expect([subject, ca]).toEqual(['C=US\nO=Example\nCN=abc', false]);
    expect(subjectAltName).toBe(
      'DNS:r1.example.org, DNS:*.edge.example.org, IP Address:192.0.2.8, IP Address:2001:DB8:0:0:0:0:0:8, email:a@b.org, URI:tls://r1:3022',
    );
    expect(keyUsage).toEqual([usage === 'client' ? extendedKeyUsages.clientAuth : extendedKeyUsages.serverAuth]);
    expect(verifyWithOpenssl(chainPem, pki.current, now, usage)).toContain('OK');
  });

  it('need no names, and are not issued for a key of the controller', async () => {
    const issued = await network.issueRouterCertificate({ csr: csrOf('p256'), usage: 'server', ...dates });
    expect(new X509Certificate(issued.certPem).subjectAltName).toBeUndefined();
    const { serverKeyPem } = pki.current;
    const own = network.issueRouterCertificate({ csr: csrOf({ pem: serverKeyPem }), usage: 'server', ...dates });
    await expect(own).rejects.toMatchObject({ detail: { message: 'the key belongs to the controller' } });
  });

  it('cannot have the host of the controller, whatever its certificate says', async () => {
    const reached = createNetworkPki(pki, () => 'r1.example.org');
    const csr = csrOf('p256', ['-subj', '/CN=abc', ...requests]);
    await expect(reached.issueRouterCertificate({ csr, usage: 'server', ...dates })).rejects.toMatchObject({
      detail: { message: 'the name r1.example.org belongs to the controller' },
    });
  });

  it.each(['r*.example.org', '*1.example.org', 'R1.Example.org', '*.example.org'])(
    'without alternative names cannot have a common name that clients take for the controller: %s',
    async (name) => {
      const reached = createNetworkPki(pki, () => 'r1.example.org');
      const issue = (commonName: string) =>
        reached.issueRouterCertificate({
          csr: csrOf('p256', ['-subj', `/CN=${commonName}`]),
          usage: 'server',
          ...dates,
        });
      await expect(issue(name)).rejects.toMatchObject({ code: 'COULD_NOT_PROCESS_CSR' });
      await expect(issue('r*.example.com')).resolves.toBeDefined();
    },
  );
});

describe('keys', () => {
  const levels = [
    { of: ['p256', 'p384'], clients: ['p384', 'p521'] },
    { of: ['p521', 'rsa'], clients: ['p256'] },
    { of: ['rsa', 'p384', 'rsa', 'p521'], clients: ['rsa'] },
  ] as const;
  it.each(levels)('of the CAs may be $of: OpenSSL and our own validation accept what they issue', async (row) => {
    const names = row.of;
    const dir = await createOperatorPki(join(base, `levels-${names.join('-')}`), { levels: names });
    const own = await openPki({ dir, names: [], clock: Date.now, keyType: 'rsa' });
    for (const key of ['p256', 'p384', 'p521', 'rsa'] as const) {
      const issued = await createNetworkPki(own).issueClientCertificate({ csr: csrOf(key), uri, ...dates });
      expect(verifyWithOpenssl(issued.chainPem, own.current, Date.now())).toContain('OK');
      expect(certificatesOf(issued.chainPem)).toHaveLength(names.length);
    }
    expect(new X509Certificate(own.current.serverCertChainPem).subject).toBe(serverSubject);
  });

  it('of a CSR are refused when they are weak, of another kind, or those of the controller', async () => {
    expect(await reasonOf(csrOf('weak'))).toContain('an RSA key of 1024 bits');
    expect(await reasonOf(csrOf('ed25519'))).toContain('ed25519');
    const { signingKeyPem, serverKeyPem } = pki.current;
    const rootKey = readFileSync(join(base, 'pki', 'root.key'), 'utf8');
    for (const pem of [signingKeyPem, serverKeyPem, rootKey]) {
      expect(createPublicKey(createPrivateKey(pem)).asymmetricKeyType).toBe('ec');
      expect(await reasonOf(csrOf({ pem }))).toBe('the key belongs to the controller');
    }
    const koblitz = openssl(['genpkey', '-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:secp256k1']);
    expect(await reasonOf(csrOf({ pem: koblitz }))).toContain('a curve other than');
  });
});

describe('a CSR', () => {
  it('is exactly one PEM block of any kind with nothing but white space behind it', async () => {
    const csr = csrOf('p256').trim();
    const missing = 'could not decode csrPem as PEM';
    const trailing = 'unexpected PEM blocks at end of CSR';
    expect(await reasonOf('')).toBe('csrPem must not be null or empty');
    for (const text of [
      ' ',
      'no PEM',
      '-----BEGIN ',
      '-----BEGIN A-----',
      csr.slice(0, 100),
      csr.replace('END', 'ENDE'),
    ]) {
      expect(await reasonOf(text)).toBe(missing);
    }
    for (const text of [`${csr}\n${csr}`, `${csr}\n\n${csr}`, `${csr}x`, `${csr}\nx`])
      expect(await reasonOf(text)).toBe(trailing);
    expect(await reasonOf(csr + 'a'.repeat(8_192))).toContain('8192');
    const other = csr.replaceAll('CERTIFICATE REQUEST', 'ANYTHING');
    for (const text of [
      csr,
      `${csr}\n`,
      `${csr}\n\n`,
      `${csr}\r\n \t\r\n`,
      `${csr}\r\n`,
      `text\n${csr}`,
      csr.replaceAll('\n', '\r\n'),
      other,
    ]) {
      await expect(issue(text)).resolves.toHaveProperty('certPem');
    }
  });

  it('is PKCS#10 in DER, signed with its own key', async () => {
    const good = bytesOf(csrOf('p256'));
    const flipped = Buffer.from(good);
    flipped.writeUInt8(flipped.readUInt8(flipped.length - 3) ^ 1, flipped.length - 3);
    expect(await reasonOf(pemOfCsr(flipped))).toBe('the CSR is not signed with its own key');
    for (const bad of [Buffer.concat([good, Buffer.from([0])]), good.subarray(0, -1), Buffer.alloc(50)]) {
      expect(await reasonOf(pemOfCsr(bad))).toContain('not PKCS#10 in DER');
    }
    expect(await reasonOf(csrOf('rsa', ['-subj', '/CN=a', '-sha1']))).toContain('weak');
    expect(await reasonOf(readCertificatePem())).toContain('not PKCS#10');
  });

  it('with any byte changed is refused or issues a certificate for its own key, and never fails otherwise', async () => {
    const good = bytesOf(csrOf('p256'));
    for (let at = 0; at < good.length; at += 3) {
      const changed = Buffer.from(good);
      changed.writeUInt8((changed.readUInt8(at) + 1 + (at % 200)) & 0xff, at);
      await expect(issue(pemOfCsr(changed))).rejects.toMatchObject({ code: 'COULD_NOT_PROCESS_CSR' });
    }
  });
});

const bytesOf = (pem: string) => Buffer.from(pem.replace(/-----[^-]+-----|\s/g, ''), 'base64');
const pemOfCsr = (der: Buffer) => pemOf({ der }, 'CERTIFICATE REQUEST');
const readCertificatePem = () => new X509Certificate(pki.current.roots[0]!).toString();

/** The sixth part of the signed part. */
function readSubject(certPem: string): Buffer {
  const [signed] = childrenOf(readOne(new X509Certificate(certPem).raw, tags.sequence));
  return childrenOf(signed!)[5]!.raw;
}
