import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Authority, Issued } from '../../../test/support/openssl.ts';
import { createAuthority } from '../../../test/support/openssl.ts';
import { clientKeys } from '../../enrollment/client-keys.ts';
import { createCsr } from '../../enrollment/csr.ts';
import { certificatesIn } from './read-certificate.ts';
import { signWithKey } from './sign-with-key.ts';
import type { Transcript } from './signed-bytes.ts';
import { signedBytes } from './signed-bytes.ts';
import { encodeStatement } from './statement.ts';
import { verifyStatement } from './verify-statement.ts';

type Verification = Parameters<typeof verifyStatement>[1];

const day = 24 * 3_600_000;
const uriOf = (id: string) => `URI:spiffe://net/identity/${id}`;
const client = 'extendedKeyUsage=clientAuth';
const ca = 'basicConstraints=critical,CA:TRUE';

let authority: Authority;
let foreign: Authority;
let ada: Issued;
beforeAll(() => {
  authority = createAuthority();
  foreign = createAuthority();
  ada = authority.issue({ names: uriOf('ada'), extensions: [client] });
});
afterAll(() => {
  for (const one of [authority, foreign]) one[Symbol.dispose]();
});

const transcript: Transcript = {
  publicKeys: { dialer: randomBytes(32), host: randomBytes(32) },
  streamHeaders: { dialer: randomBytes(24), host: randomBytes(24) },
  ...{ serviceId: 'service-1', instanceId: '', circuitId: 'circuit-1', appData: Buffer.from('data') },
};

/** What the holder of a certificate says. */
function state({ key, cert }: Issued, about: Transcript = transcript, side: Verification['side'] = 'hosts'): Buffer {
  const certificates = certificatesIn(cert);
  const signature = signWithKey(key, signedBytes(side, certificates[0] ?? Buffer.of(), about));
  return encodeStatement({ signature, certificates });
}

function verify(statement: Uint8Array, changes: Partial<Verification> = {}) {
  const anchors = certificatesIn(authority.ca);
  const more = { side: 'hosts', at: Date.now(), namesIdentities: true } as const;
  return verifyStatement(statement, { anchors, transcript, ...more, ...changes });
}

describe('a statement', () => {
  test.each(['P-256', 'P-384', 'P-521', 'RSA', 'Ed25519'] as const)(
    'with a key of %s names its identity',
    (keyKind) => {
      const issued = authority.issue({ names: uriOf('bob'), keyKind, extensions: [client] });
      expect(verify(state(issued)).id).toBe('bob');
    },
  );

  test('with an intermediate CA names its identity, and with one that may not stand there does not', () => {
    const below = (extension: string) => {
      const issuer = authority.issue({ subject: 'intermediate', extensions: [extension] });
      const leaf = authority.issue({ names: uriOf('bob'), issuer });
      return state({ key: leaf.key, cert: leaf.cert + issuer.cert });
    };
    expect(verify(below(`${ca},pathlen:0`)).id).toBe('bob');
    expect(() => verify(below('basicConstraints=critical,CA:FALSE'))).toThrow('of no CA');
    expect(() => verify(below(`${ca}\nextendedKeyUsage=serverAuth`))).toThrow('not for clients');
    expect(() => verify(below(`${ca}\nnameConstraints=permitted;URI:net`))).toThrow(
      'an extension that is not supported',
    );
  });

  test('with more CAs than one of them allows is refused', () => {
    const first = authority.issue({ subject: 'first', extensions: [`${ca},pathlen:0`] });
    const second = authority.issue({ subject: 'second', extensions: [ca], issuer: first });
    const leaf = authority.issue({ names: uriOf('bob'), issuer: second });
    expect(() => verify(state({ key: leaf.key, cert: leaf.cert + second.cert + first.cert }))).toThrow('of no CA');
  });

  test('names nobody when the anchors are not those of the network', () => {
    expect(verify(state(ada), { namesIdentities: false }).id).toBeNull();
  });
});

describe('a statement is refused', () => {
  const other = (change: Partial<Transcript>): Transcript => ({ ...transcript, ...change });
  const { publicKeys, streamHeaders } = transcript;
  const fresh = randomBytes(32);

  test.each<[string, Transcript]>([
    ['of the key of another dialing end', other({ publicKeys: { ...publicKeys, dialer: fresh } })],
    ['of the key of another host', other({ publicKeys: { ...publicKeys, host: fresh } })],
    ['of another beginning by the dialing end', other({ streamHeaders: { ...streamHeaders, dialer: fresh } })],
    ['of another beginning by the host', other({ streamHeaders: { ...streamHeaders, host: fresh } })],
    ['with both keys swapped', other({ publicKeys: { dialer: publicKeys.host, host: publicKeys.dialer } })],
    ['of another service', other({ serviceId: 'service-2' })],
    ['of another host of the service', other({ instanceId: 'printer-5' })],
    ['of another circuit', other({ circuitId: 'circuit-2' })],
    ['with other data beside it', other({ appData: Buffer.from('other') })],
    ['with the border between two values moved', other({ serviceId: 'service-1c', circuitId: 'ircuit-1' })],
  ])('%s', (_, about) => {
    expect(() => verify(state(ada, about))).toThrow('not of this connection');
  });

  test('of the other side: its own comes back', () => {
    expect(() => verify(state(ada, transcript, 'dials'))).toThrow('not of this connection');
  });

  test('with the certificate of somebody else', () => {
    const eve = authority.issue({ names: uriOf('eve') });
    expect(() => verify(state({ key: eve.key, cert: ada.cert }))).toThrow('not of this connection');
    // What Eve has signed for herself says nothing with the certificate of somebody else before it.
    const [signed, stolen] = [
      signedBytes('hosts', certificatesIn(eve.cert)[0] ?? Buffer.of(), transcript),
      certificatesIn(ada.cert),
    ];
    const statement = encodeStatement({ signature: signWithKey(eve.key, signed), certificates: stolen });
    expect(() => verify(statement)).toThrow('not of this connection');
  });

  test.each<[string, () => Issued, string]>([
    ['of another CA', () => foreign.issue({ names: uriOf('ada') }), 'of no CA that is trusted'],
    ['of a router', () => authority.issue({ subject: 'router-1', names: 'DNS:router-1' }), 'names no identity'],
    ['without names', () => authority.issue({ subject: 'ada' }), 'names no identity'],
    ['of two identities', () => authority.issue({ names: `${uriOf('ada')},${uriOf('eve')}` }), 'names no identity'],
    [
      'of an API session',
      () => authority.issue({ names: uriOf('ada/apiSession/x/apiSessionCertificate/y') }),
      'of an API session',
    ],
    ['of a CA', () => authority.issue({ names: uriOf('ada'), extensions: [ca] }), 'that of a CA'],
    [
      'for servers',
      () => authority.issue({ names: uriOf('ada'), extensions: ['extendedKeyUsage=serverAuth'] }),
      'not for clients',
    ],
    [
      'that may not sign',
      () => authority.issue({ names: uriOf('ada'), extensions: ['keyUsage=critical,keyAgreement'] }),
      'may not sign',
    ],
    [
      'with an unknown critical extension',
      () => authority.issue({ names: uriOf('ada'), extensions: ['1.2.3.4=critical,ASN1:NULL'] }),
      'not supported',
    ],
    ['with a weak key', () => authority.issue({ names: uriOf('ada'), keyKind: 'weak RSA' }), 'too weak'],
  ])('with a certificate %s', (_, issue, reason) => {
    expect(() => verify(state(issue()))).toThrow(reason);
  });

  test('with a certificate that is not valid now, and with a CA that is not', () => {
    const longer = authority.issue({ names: uriOf('ada'), days: 100 });
    expect(() => verify(state(ada), { at: Date.now() + 29 * day })).not.toThrow();
    expect(() => verify(state(ada), { at: Date.now() + 31 * day })).toThrow('has expired');
    expect(() => verify(state(ada), { at: Date.now() - day })).toThrow('not valid yet');
    expect(() => verify(state(longer), { at: Date.now() + 60 * day })).toThrow('of no CA that is trusted');
  });

  test('that is none, too long, or cut anywhere', () => {
    const statement = state(ada);
    const none = [
      Buffer.of(),
      Buffer.of(1),
      Buffer.of(1, 0, 0),
      Buffer.alloc(100, 1),
      randomBytes(500),
      Buffer.of(2, ...statement.subarray(1)),
    ];
    for (const message of [...none, Buffer.alloc(1_000_000, 1), Buffer.concat([statement, Buffer.of(0)])]) {
      expect(() => verify(message)).toThrow();
    }
    for (let length = 0; length < statement.length; length += 1)
      expect(() => verify(statement.subarray(0, length))).toThrow();
  });

  test('that is longer than any chain needs', () => {
    const [key, ...certificates] = [ada.key, ...certificatesIn(ada.cert)];
    const signature = signWithKey(key, signedBytes('hosts', certificates[0] ?? Buffer.of(), transcript));
    expect(() => encodeStatement({ signature, certificates: [...certificates, Buffer.alloc(20_000)] })).toThrow(
      'too long',
    );
    const long = Buffer.concat([state(ada), Buffer.of(0x4e, 0x20), Buffer.alloc(20_000)]);
    expect(() => verify(long)).toThrow('sent no statement');
  });

  test('with another certificate for the same key', async () => {
    const other = authority.sign(await createCsr('eve', await clientKeys({ key: ada.key })));
    const [certificate = Buffer.of()] = certificatesIn(ada.cert);
    const signature = signWithKey(ada.key, signedBytes('hosts', certificate, transcript));
    expect(() => verify(encodeStatement({ signature, certificates: certificatesIn(other) }))).toThrow('not of this');
  });

  test('that was changed anywhere', () => {
    const statement = state(ada);
    for (let at = 0; at < statement.length; at += 1) {
      const changed = Buffer.from(statement);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => verify(changed), `byte ${at}`).toThrow();
    }
  });

  test('with a signature of another kind than the key of its certificate', () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    expect(createPrivateKey(key).asymmetricKeyType).toBe('ed25519');
    expect(() => verify(state({ key, cert: ada.cert }))).toThrow('not of this connection');
  });
});
