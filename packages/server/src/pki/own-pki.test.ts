import { X509Certificate } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OperatorPkiOptions } from '../../test/support/operator-pki.ts';
import { ca, createOperatorPki, issueWithOpenssl, keyOf, openssl } from '../../test/support/operator-pki.ts';
import { createNetworkPki } from './create-network-pki.ts';
import { certificatesOf } from './pem.ts';
import { openPki } from './pki.ts';

const day = 86_400_000;
let base = '';
let whole = '';
beforeAll(async () => {
  base = mkdtempSync(join(tmpdir(), 'own-pki-'));
  whole = await createOperatorPki(join(base, 'whole'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

let copies = 0;
/** A directory of an operator, changed. */
async function directory(
  change: (dir: string) => void = () => undefined,
  options?: OperatorPkiOptions,
): Promise<string> {
  const dir = join(base, `copy-${++copies}`);
  if (options) await createOperatorPki(dir, options);
  else cpSync(whole, dir, { recursive: true });
  change(dir);
  return dir;
}

const open = (dir: string, options: { host?: string; clock?: () => number; trustDomain?: string } = {}) =>
  openPki({ dir, names: [], clock: Date.now, ...options });

/** The messages of all problems, without the directory. */
async function problemsOf(dir: string, options?: Parameters<typeof open>[1]): Promise<string[]> {
  const error = await open(dir, options).then(
    () => null,
    (reason) => reason,
  );
  expect(error?.name).toBe('StartError');
  return error.problems.map(({ message }: { message: string }) => message.replaceAll(`${dir}/`, ''));
}

const copy = (dir: string, from: string, to: string) => writeFileSync(join(dir, to), readFileSync(join(dir, from)));
const server = (dir: string, extensions: readonly string[], options: { issuer?: string; subject?: string } = {}) => {
  const { issuer = 'level-1', subject = '/CN=edge.example.org' } = options;
  issueWithOpenssl(join(dir, 'work'), 'server', { subject, key: 'rsa', extensions, issuer });
  copy(dir, 'work/server.pem', 'server.pem');
  copy(dir, 'work/server.key', 'server.key');
};
const forServer = [
  'basicConstraints=critical,CA:FALSE',
  'extendedKeyUsage=serverAuth',
  'subjectAltName=DNS:edge.example.org',
];

describe('an operator', () => {
  it('brings an intermediate below a root that stays offline: the server certificate is issued from it', async () => {
    const { current } = await open(await directory());
    const [leaf, intermediate, root] = current.serverPath.map((pem) => new X509Certificate(pem));
    expect([leaf?.subject, intermediate?.subject, root?.subject]).toEqual([
      'CN=Edge Controller',
      'O=An operator\nCN=level-1',
      'O=An operator\nCN=root',
    ]);
  });

  it('brings a root with its key: the intermediate is issued from it', async () => {
    const dir = await directory((at) => {
      for (const name of ['intermediate.pem', 'intermediate.key']) rmSync(join(at, name));
      copy(at, 'work/root.key', 'root.key');
    });
    const { current } = await open(dir);
    expect(new X509Certificate(current.signingPath[0]!).issuer).toBe('O=An operator\nCN=root');
    expect((await open(dir)).current).toEqual(current);
  });

  it('brings a server certificate, which is never replaced', async () => {
    const dir = await directory((at) => server(at, forServer));
    const { current } = await open(dir, { host: 'edge.example.org' });
    expect(new X509Certificate(current.serverCertChainPem).subject).toBe('CN=edge.example.org');
    const late = () => Date.now() + 980 * day;
    expect((await open(dir, { host: 'edge.example.org', clock: late })).current.serverKid).toBe(current.serverKid);
    expect(current.ends.map(({ file }) => file)).toEqual(['intermediate.pem', 'ca.pem', 'server.pem']);
  });

  it('brings keys in PKCS#8, SEC1 and PKCS#1', async () => {
    const traditional = (at: string) => {
      copy(at, 'work/level-1.key', 'a.key');
      writeFileSync(join(at, 'intermediate.key'), openssl(['pkey', '-in', join(at, 'a.key'), '-traditional']));
    };
    const sec1 = await directory(traditional);
    expect(readFileSync(join(sec1, 'intermediate.key'), 'utf8')).toContain('BEGIN EC PRIVATE KEY');
    await open(sec1);
    const pkcs1 = await directory(traditional, { levels: ['p256', 'rsa'] });
    expect(readFileSync(join(pkcs1, 'intermediate.key'), 'utf8')).toContain('BEGIN RSA PRIVATE KEY');
    await open(pkcs1);
  });

  it('keeps a former root and a former intermediate, which stay trusted', async () => {
    const former = await directory(undefined, { levels: ['p384', 'p384'] });
    const dir = await directory((at) => {
      for (const name of ['ca.pem', 'intermediate.pem']) {
        writeFileSync(join(at, name), readFileSync(join(at, name), 'utf8') + readFileSync(join(former, name), 'utf8'));
      }
    });
    const { current } = await open(dir);
    expect([current.roots.length, current.intermediates.length, current.signingPath.length]).toEqual([2, 2, 2]);
    expect(certificatesOf(createNetworkPki({ current }).caPem)).toHaveLength(4);
  });
});

describe('the start is refused', () => {
  it('with every reason at once', async () => {
    const dir = await directory((at) => {
      server(at, ['subjectAltName=DNS:other.example.org', 'extendedKeyUsage=clientAuth']);
      writeFileSync(join(at, 'intermediate.key'), keyOf('p256', 'somebody else'));
      writeFileSync(join(at, 'root.key'), 'no key');
    });
    expect(await problemsOf(dir, { host: 'edge.example.org' })).toEqual([
      'root.key is damaged: it has no private key',
      'intermediate.key is not the key of intermediate.pem',
      'server.pem is not valid for edge.example.org, the host of edge.api.address',
      expect.stringContaining('server.pem cannot be used: extKeyUsage without'),
    ]);
  });

  const intermediates: [string, OperatorPkiOptions, RegExp][] = [
    [
      'is no CA',
      { signing: ['basicConstraints=critical,CA:FALSE'] },
      /^intermediate.pem cannot be used: an issuer without/,
    ],
    [
      'may not sign',
      { signing: ['keyUsage=critical,digitalSignature'] },
      /^intermediate.pem cannot be used: .*may not sign/,
    ],
    [
      'is below a path length of 0',
      { levels: ['p256', 'p256', 'p256'], rootExtensions: ['basicConstraints=critical,CA:TRUE,pathlen:0'] },
      /^ca.pem cannot be used: its path length of 0/,
    ],
    [
      'is for servers only',
      { signing: ['extendedKeyUsage=serverAuth'] },
      /^intermediate.pem cannot issue client certificates: extKeyUsage/,
    ],
    [
      'may not name the trust domain',
      { signing: ['nameConstraints=critical,permitted;URI:other.example'] },
      /^intermediate.pem cannot issue client certificates: /,
    ],
    [
      'has a weak key',
      { levels: ['p256', 'weak'] },
      /^intermediate.pem is damaged or too weak: an RSA key of 1024 bits/,
    ],
    ['has a key that cannot sign here', { levels: ['p256', 'ed25519'] }, /^intermediate.key has a key that is neither/],
  ];
  it.each(intermediates)('when the intermediate %s', async (_, options, message) => {
    const dir = await directory(undefined, options);
    expect(await problemsOf(dir, { trustDomain: 'edge.example' })).toContainEqual(expect.stringMatching(message));
  });

  it('when the intermediate or the root has expired, or is not yet valid', async () => {
    const dir = await directory();
    const late = await problemsOf(dir, { clock: () => Date.now() + 1_001 * day });
    expect(late).toEqual([
      expect.stringMatching(/^intermediate.pem has expired: valid until .*\(O=An operator, CN=level-1\)$/),
      expect.stringMatching(/^ca.pem has expired: .*CN=root/),
    ]);
    const early = await problemsOf(dir, { clock: () => Date.now() - 2 * day });
    expect(early[0]).toMatch(/^intermediate.pem cannot be used: valid from/);
  });

  it('when the intermediate is not below the root, or is the root', async () => {
    const other = await createOperatorPki(join(base, 'other'), { levels: ['p384', 'p256'] });
    const strange = await directory((at) => writeFileSync(join(at, 'ca.pem'), readFileSync(join(other, 'ca.pem'))));
    expect(await problemsOf(strange)).toEqual([expect.stringMatching(/^intermediate.pem was not issued by ca.pem/)]);
    const root = await directory((at) => {
      copy(at, 'work/root.pem', 'intermediate.pem');
      copy(at, 'work/root.key', 'intermediate.key');
    });
    expect(await problemsOf(root)).toEqual(['intermediate.pem has the root: an intermediate below it must sign']);
  });

  const roots: [string, OperatorPkiOptions, () => number, RegExp][] = [
    ['allows no CA below it', { rootExtensions: [`${ca[0]},pathlen:0`] }, Date.now, /^ca.pem .* its path length of 0/],
    ['is no CA', { rootExtensions: ['basicConstraints=critical,CA:FALSE'] }, Date.now, /^ca.pem cannot be used/],
    ['has expired', {}, () => Date.now() + 1_001 * day, /^ca.pem has expired/],
    [
      'may not name the trust domain',
      { rootExtensions: ['nameConstraints=critical,permitted;URI:other.example'] },
      Date.now,
      /^ca.pem cannot issue client certificates: /,
    ],
  ];
  it.each(roots)('when the root from which the intermediate would come %s, and nothing is issued', async (...row) => {
    const [, options, clock, message] = row;
    const dir = await directory((at) => {
      copy(at, 'work/root.key', 'root.key');
      for (const name of ['intermediate.pem', 'intermediate.key']) rmSync(join(at, name));
    }, options);
    expect(await problemsOf(dir, { clock, trustDomain: 'edge.example' })).toEqual([expect.stringMatching(message)]);
    expect(readdirSync(dir).toSorted()).toEqual(['ca.pem', 'root.key', 'work']);
  });

  it('when the intermediate has a weak signature', async () => {
    const dir = await directory((at) => {
      const work = (name: string) => join(at, 'work', name);
      const csr = openssl(['req', '-new', '-key', work('level-1.key'), '-subj', '/CN=weak']);
      const signer = ['-CA', work('root.pem'), '-CAkey', work('root.key'), '-sha1', '-days', '500'];
      const cert = openssl(['x509', '-req', ...signer, '-extfile', work('level-1.cnf')], csr);
      writeFileSync(join(at, 'intermediate.pem'), cert);
    });
    expect(await problemsOf(dir)).toEqual(['intermediate.pem has a signature that is weak or not supported (CN=weak)']);
  });

  it('when a key is encrypted', async () => {
    const dir = await directory((at) => {
      const encrypt = ['pkey', '-in', join(at, 'work/level-1.key'), '-aes256', '-passout', 'pass:secret'];
      writeFileSync(join(at, 'intermediate.key'), openssl(encrypt));
    });
    expect(await problemsOf(dir)).toContain('intermediate.key is encrypted: save the key without a passphrase');
  });

  it('when a part is missing that nothing can replace', async () => {
    const without = async (...names: string[]) =>
      problemsOf(await directory((at) => names.map((name) => rmSync(join(at, name)))));
    expect((await without('ca.pem'))[0]).toMatch(/is incomplete: ca.pem missing$/);
    expect((await without('intermediate.key'))[0]).toMatch(/is incomplete: intermediate.key missing$/);
    expect((await without('intermediate.pem', 'intermediate.key'))[0]).toMatch(
      /is incomplete: intermediate.pem, intermediate.key missing$/,
    );
    const served = await directory((at) => {
      server(at, forServer);
      rmSync(join(at, 'server.key'));
    });
    expect((await problemsOf(served))[0]).toMatch(/is incomplete: server.key missing$/);
  });

  it('when the server certificate was not issued below the root, has expired or is a CA', async () => {
    const own = await directory((at) => {
      issueWithOpenssl(join(at, 'work'), 'alone', { subject: '/CN=alone', key: 'p384', extensions: ca });
      server(at, forServer, { issuer: 'alone' });
    });
    expect(await problemsOf(own)).toEqual([
      expect.stringMatching(/^server.pem cannot be used: no certificate of the issuer/),
    ]);
    const issuing = await directory((at) => server(at, ca));
    expect(await problemsOf(issuing)).toEqual([
      expect.stringMatching(/^server.pem cannot be used: a leaf that may issue/),
    ]);
  });
});
