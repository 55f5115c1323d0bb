import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  basicConstraints,
  extendedKeyUsage,
  keyCertSign,
  keyUsage,
  purposes,
} from '../support/certificate-extensions.ts';
import { nameOf, pemOf } from '../support/certificate-writer.ts';
import { issuerExtensions, leafExtensions } from '../support/chain.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { addCa, cas, sendProof } from '../support/registered-cas.ts';
import type { TestCa } from '../support/test-ca.ts';
import { createTestCa } from '../support/test-ca.ts';

const minute = 60_000;

describe.each(storePairs)('the verification of a CA on $stores', ({ open }) => {
  let server: TestController;
  let token: string;
  beforeAll(async () => {
    server = await startController(await open());
    token = await server.signIn();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const read = async (id: string) => (await server.wire('GET', `${cas}/${id}`, { token })).body.data;
  const registered = async (ca = createTestCa()): Promise<{ ca: TestCa; id: string; secret: string }> => {
    const id = await addCa(server, token, {}, ca);
    return { ca, id, secret: (await read(id)).verificationToken };
  };
  const send = (id: string, proof: string, type?: string) =>
    sendProof(server, { token, id, proof, ...(type && { type }) });
  const codeOf = async (id: string, proof: string, type?: string) => {
    const { status, body } = await send(id, proof, type);
    return status === 200 ? 'verified' : `${status} ${body.error.code}`;
  };

  it('succeeds once, with a certificate whose common name is the token', async () => {
    const { ca, id, secret } = await registered();
    const answer = await send(id, ca.client(secret).leafPem);
    expect([answer.status, answer.body]).toEqual([200, { data: {}, meta: {} }]);
    const after = await read(id);
    expect(after).toMatchObject({ isVerified: true, verificationToken: secret });
    expect(after._links).toEqual({ self: { href: `./cas/${id}` } });
    expect(await codeOf(id, ca.client(secret).leafPem)).toBe('409 CA_ALREADY_VERIFIED');
    expect(await codeOf(id, 'nonsense')).toBe('409 CA_ALREADY_VERIFIED');
  });

  it('succeeds for one of 100 requests at once', async () => {
    const { ca, id, secret } = await registered();
    const proof = ca.client(secret).leafPem;
    const codes = await Promise.all(Array.from({ length: 100 }, () => codeOf(id, proof)));
    expect(codes.filter((code) => code === 'verified')).toHaveLength(1);
    expect(codes.filter((code) => code === '409 CA_ALREADY_VERIFIED')).toHaveLength(99);
  });

  it('accepts what OpenSSL writes, any purpose, other parts of the subject, and text around the PEM', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'verify-'));
    try {
      const file = (name: string) => join(directory, name);
      const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: directory, stdio: 'pipe' });
      const rsa = ['-newkey', 'rsa:2048', '-nodes'];
      openssl('req', '-x509', ...rsa, '-keyout', 'ca.key', '-out', 'ca.pem', '-subj', '/O=Example/CN=CA', '-days', '2');
      const certPem = readFileSync(file('ca.pem'), 'utf8');
      const { id, secret } = await registered({ ...createTestCa(), certPem });
      openssl('req', ...rsa, '-keyout', 'leaf.key', '-out', 'leaf.csr', '-subj', `/O=Example/OU=x/CN=${secret}`);
      writeFileSync(file('ext'), 'extendedKeyUsage=serverAuth\nkeyUsage=digitalSignature');
      const ca = ['-CA', 'ca.pem', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'ext'];
      openssl('x509', '-req', '-in', 'leaf.csr', ...ca, '-days', '1', '-text', '-out', 'leaf.pem');
      expect(await codeOf(id, readFileSync(file('leaf.pem'), 'utf8'))).toBe('verified');
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  });

  it('accepts one of a CA that is an intermediate itself', async () => {
    const root = createTestCa();
    const { ca, id, secret } = await registered(root.intermediate());
    expect(await codeOf(id, root.client(secret).leafPem)).toBe('400 CERTIFICATE_FAILED_VALIDATION');
    expect(await codeOf(id, ca.client(secret).leafPem)).toBe('verified');
  });

  it('refuses what is not such a certificate, in the order of the wire, and changes nothing', async () => {
    const { ca, id, secret } = await registered();
    const before = await read(id);
    const good = ca.client(secret).leafPem;
    const cases: [string, string, string][] = [
      ['nothing', '', '400 COULD_NOT_VALIDATE'],
      ['no PEM', 'nonsense', '400 COULD_NOT_PARSE_BODY'],
      ['PEM without an end', good.slice(0, 200), '400 COULD_NOT_PARSE_BODY'],
      ['another label', pemOf({ der: Buffer.from('3000', 'hex') }, 'PRIVATE KEY'), '400 EXPECTED_PEM_CERTIFICATE'],
      ['no DER', pemOf({ der: Buffer.from('3000', 'hex') }), '400 COULD_NOT_PARSE_DER_BLOCK'],
      ['another common name', ca.client('other').leafPem, '400 INVALID_COMMON_NAME'],
      ['no common name', ca.client(nameOf(['2.5.4.10', secret])).leafPem, '400 INVALID_COMMON_NAME'],
      ['a longer common name', ca.client(`${secret} `).leafPem, '400 INVALID_COMMON_NAME'],
      ['another case', ca.client(swapCase(secret)).leafPem, '400 INVALID_COMMON_NAME'],
      ['another CA and name', createTestCa().client('other').leafPem, '400 INVALID_COMMON_NAME'],
      ['the CA itself', ca.certPem, '400 INVALID_COMMON_NAME'],
      ['another CA', createTestCa().client(secret).leafPem, '400 CERTIFICATE_FAILED_VALIDATION'],
      [
        'another CA with the same name',
        createTestCa(ca.authority.subject).client(secret).leafPem,
        '400 CERTIFICATE_FAILED_VALIDATION',
      ],
      [
        'expired',
        ca.client(secret, { notAfter: new Date(Date.now() - 2_000) }).leafPem,
        '400 CERTIFICATE_FAILED_VALIDATION',
      ],
      [
        'not valid yet',
        ca.client(secret, { notBefore: new Date(Date.now() + minute) }).leafPem,
        '400 CERTIFICATE_FAILED_VALIDATION',
      ],
      ['a CA', ca.client(secret, { extensions: issuerExtensions }).leafPem, '400 CERTIFICATE_FAILED_VALIDATION'],
      [
        'one that may sign certificates',
        ca.client(secret, { extensions: [basicConstraints(false), keyUsage(keyCertSign)] }).leafPem,
        '400 CERTIFICATE_FAILED_VALIDATION',
      ],
      [
        'self-signed',
        createTestCa(secret, { extensions: leafExtensions }).certPem,
        '400 CERTIFICATE_FAILED_VALIDATION',
      ],
      ['one behind an intermediate', behindIntermediate(ca, secret), '400 CERTIFICATE_FAILED_VALIDATION'],
      ['a good one behind another', `${ca.client('other').leafPem}${good}`, '400 INVALID_COMMON_NAME'],
    ];
    for (const [what, proof, expected] of cases) expect(await codeOf(id, proof), what).toBe(expected);
    expect(await codeOf('nothing', good)).toBe('404 NOT_FOUND');
    expect(await codeOf(id, good, 'application/json')).toBe('400 COULD_NOT_PARSE_BODY');
    expect(await codeOf(id, good, 'application/x-pem-file')).toBe('415 COULD_NOT_VALIDATE');
    expect(await codeOf(id, 'x'.repeat(65_537))).toBe('413 REQUEST_ENTITY_TOO_LARGE');
    expect(await read(id)).toEqual(before);
    const withPurpose = { extensions: [...leafExtensions, extendedKeyUsage(purposes.serverAuth)] };
    expect(await codeOf(id, ca.client(secret, withPurpose).leafPem + good)).toBe('verified');
  });
});

function swapCase(text: string): string {
  return text.replace(/[a-z]/i, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()));
}

/** A leaf, then the intermediate that has issued it. */
function behindIntermediate(ca: TestCa, commonName: string): string {
  return ca.intermediate().client(commonName).cert;
}
