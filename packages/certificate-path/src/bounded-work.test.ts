import { generateKeyPairSync } from 'node:crypto';
import { expect, it } from 'vitest';
import * as x from '../../server/test/support/certificate-extensions.ts';
import type { Authority, KeyPair } from '../../server/test/support/certificate-writer.ts';
import {
  ascii,
  commonName,
  der,
  nameOf,
  newKeys,
  now,
  oid,
  sequence,
  write,
} from '../../server/test/support/certificate-writer.ts';
import {
  issuerExtensions,
  outcome,
  verify,
  writeIntermediate,
  writeLeaf,
  writeRoot,
} from '../../server/test/support/chain.ts';
import type { ChainOptions } from './verify-chain.ts';
import { verifyChain } from './verify-chain.ts';

/** Milliseconds of CPU time. The machine may be busy with other tests, so the best of some attempts counts. */
const longest = 50;
const attempts = 10;

const named = (keys: KeyPair, name = 'ca'): Authority => ({ der: Buffer.alloc(0), keys, subject: commonName(name) });
const certify = (subject: Authority, issuer: Authority, changes: Partial<Parameters<typeof write>[0]> = {}) => {
  return write({ issuer, subject: subject.subject, keys: subject.keys, extensions: issuerExtensions, ...changes });
};
const optionsOf = (leaf: Authority, bag: readonly Authority[], anchors: readonly Authority[]): ChainOptions => ({
  leaf: leaf.der,
  bag: bag.map((one) => one.der),
  anchors: anchors.map((one) => one.der),
  at: now,
  requiredExtendedKeyUsage: null,
});
const times = <Value>(count: number, make: (index: number) => Value) =>
  Array.from({ length: count }, (_, at) => make(at));

/** Nine issuers with one name, each certified by the next: every certificate could have signed every other one. */
function tower(newKey: () => KeyPair): ChainOptions {
  const parties = times(10, () => named(newKey()));
  const bag = parties.slice(1).map((issuer, index) => certify(parties[index]!, issuer));
  return optionsOf(writeLeaf(parties[0]!), bag, [writeRoot({ subject: 'ca' })]);
}

/** All issuers certify each other, in as many certificates as fit. */
function mesh(size: number): ChainOptions {
  const parties = times(size, (index) => named(newKeys(), `ca ${index}`));
  const pairs = parties.flatMap((one) =>
    parties.filter((other) => other !== one).map((other) => [one, other] as const),
  );
  const bag = pairs.slice(0, 9).map(([subject, issuer]) => certify(subject, issuer));
  return optionsOf(writeLeaf(parties[0]!), bag, [writeRoot()]);
}

function withExtensions(issuer: readonly Buffer[], leaf: readonly Buffer[], intermediates = 1): ChainOptions {
  const root = writeRoot();
  const chain = [root];
  times(intermediates, (index) => {
    chain.unshift(
      writeIntermediate(chain[0]!, { subject: `ca ${index}`, extensions: [...issuerExtensions, ...issuer] }),
    );
  });
  return optionsOf(writeLeaf(chain[0]!, { extensions: leaf }), chain.slice(0, -1), [root]);
}

const shortNames = (count: number) => times(count, (index) => x.dns(`${index.toString(36)}.a`));
const manyPolicies = times(700, (index) => `1.2.${index}`);
const required = x.policyConstraints({ requireExplicit: 0 });
const nested = (depth: number): Buffer => (depth === 0 ? sequence() : sequence(nested(depth - 1)));

const hostile: readonly [string, () => ChainOptions][] = [
  [
    'ten certificates with one name and one key',
    () => {
      const keys = newKeys();
      const bag = times(9, () => certify(named(keys), named(keys)));
      return optionsOf(writeLeaf(named(keys)), bag, [writeRoot({ subject: 'ca' })]);
    },
  ],
  ['ten keys of P-256 with one name', () => tower(newKeys)],
  ['ten keys of P-384 with one name', () => tower(() => generateKeyPairSync('ec', { namedCurve: 'P-384' }))],
  ['ten keys of P-521 with one name', () => tower(() => generateKeyPairSync('ec', { namedCurve: 'P-521' }))],
  ['ten keys of Ed25519 with one name', () => tower(() => generateKeyPairSync('ed25519'))],
  [
    'one RSA key of 8,192 bits in nine certificates that have not signed',
    () => {
      const octets = Buffer.alloc(1025, 0xff);
      octets[0] = 0;
      const keyOf = (last: number) => {
        octets[1024] = last;
        const key = sequence(der(0x02, octets), der(0x02, Buffer.from([0, 0xff, 0xff, 0xff, 0xff])));
        return sequence(
          sequence(oid('1.2.840.113549.1.1.1'), Buffer.from('0500', 'hex')),
          der(0x03, Buffer.from([0]), key),
        );
      };
      const pss = sequence(oid('1.2.840.113549.1.1.11'), Buffer.from('0500', 'hex'));
      const signing = { algorithm: pss, sign: () => Buffer.alloc(1024, 1) };
      const bag = times(9, (index) =>
        certify(named(newKeys()), named(newKeys()), { spki: keyOf(2 * index + 1), signing }),
      );
      return optionsOf(writeLeaf(named(newKeys()), { signing }), bag.slice(0, 6), [writeRoot({ subject: 'ca' })]);
    },
  ],
  ['three issuers that certify each other', () => mesh(3)],
  ['four issuers that certify each other', () => mesh(4)],
  [
    'a leaf that 100 anchors with one name might have signed',
    () => {
      const anchors = times(100, () => writeRoot({ subject: 'ca' }));
      return optionsOf(writeLeaf(named(newKeys())), [], anchors);
    },
  ],
  [
    '1,000 constraints above 1,000 names',
    () => {
      return withExtensions(
        [x.nameConstraints({ excluded: shortNames(1_000) })],
        [x.subjectAltNames(times(1_000, (index) => x.dns(`${index}.b`)))],
      );
    },
  ],
  [
    'as many constraints and names as fit',
    () => {
      return withExtensions(
        [x.nameConstraints({ permitted: shortNames(1_300) })],
        [x.subjectAltNames(times(2_400, () => x.dns('z.a')))],
        2,
      );
    },
  ],
  [
    'directory names with many parts',
    () => {
      const name = (count: number) => nameOf(...times(count, (index) => ['2.5.4.3', `${index % 10}`] as const));
      const names = times(90, () => x.directoryName(name(10)));
      return withExtensions(
        [x.nameConstraints({ excluded: times(90, () => x.directoryName(name(9))) })],
        [x.subjectAltNames(names)],
      );
    },
  ],
  [
    'subjects of 100 parts and of 1,000',
    () => {
      const subject = nameOf(...times(100, () => ['2.5.4.3', '\ufdfa'] as const));
      const longer = nameOf(...times(1_000, () => ['2.5.4.3', '\ufdfa'] as const));
      const root = writeRoot();
      const issuer = writeIntermediate(root, { subject });
      return optionsOf(
        writeLeaf(issuer),
        [
          ...times(2, () => writeIntermediate(root, { subject })),
          ...times(2, () => writeIntermediate(root, { subject: longer })),
        ],
        [root],
      );
    },
  ],
  [
    'one value that grows when it is prepared',
    () => {
      const subject = commonName('\ufdfa'.repeat(2_000));
      return optionsOf(writeLeaf(writeRoot({ subject })), [writeRoot({ subject })], [writeRoot({ subject })]);
    },
  ],
  [
    'policies and mappings that multiply',
    () => {
      const mappings = times(700, (index) => [`1.2.${index}`, `1.2.${(index * 7) % 700}`] as const);
      return withExtensions(
        [x.policies(...manyPolicies), x.policyMappings(...mappings), required],
        [x.policies('1.2.3')],
        3,
      );
    },
  ],
  [
    'an extension of 16 KiB, and one that is nested 1,000 times',
    () => {
      const large = x.extension('1.2.3', false, Buffer.alloc(15_000));
      return withExtensions(
        [large],
        [x.extension('2.5.29.17', false, nested(1_000)), x.extension('1.2.4', false, nested(1_000))],
      );
    },
  ],
  [
    'thousands of extensions',
    () =>
      withExtensions(
        [],
        times(1_200, (index) => x.extension(`1.2.${index}`, false, Buffer.alloc(0))),
      ),
  ],
  [
    'thousands of purposes with long numbers',
    () => {
      const long = der(0x06, Buffer.from([0x2a, ...times(60, () => 0xff), 1]));
      return withExtensions([], [x.extension('2.5.29.37', false, sequence(...times(230, () => long)))]);
    },
  ],
  [
    'names that are almost hosts',
    () => {
      const name = x.dns(`${'a-'.repeat(120)}.a`);
      return withExtensions(
        [x.nameConstraints({ permitted: [x.dns('a')] })],
        [x.subjectAltNames(times(60, () => name))],
      );
    },
  ],
  [
    'addresses and URIs made for backtracking',
    () => {
      const names = [x.uri(`a://${'@:'.repeat(3_500)}`), x.email(`${'a.'.repeat(3_500)}@a`)];
      return withExtensions(
        [x.nameConstraints({ excluded: [x.email('a'), x.uri('a')] })],
        [x.subjectAltNames(names.reverse())],
      );
    },
  ],
  [
    'a chain that is 100 deep',
    () => {
      const chain = [writeRoot()];
      times(100, (index) => chain.unshift(writeIntermediate(chain[0]!, { subject: `ca ${index}` })));
      return optionsOf(writeLeaf(chain[0]!), chain.slice(0, -1), chain.slice(-1));
    },
  ],
  [
    '30,000 certificates of two bytes',
    () => {
      const root = writeRoot();
      return {
        ...optionsOf(writeLeaf(root), [], []),
        bag: times(30_000, (index) => Buffer.from([index >> 8, index & 0xff])),
      };
    },
  ],
  [
    '64 KiB of the smallest elements',
    () => {
      const filler = x.extension('2.5.29.17', false, sequence(...times(7_000, () => der(0x82, ascii('')))));
      return withExtensions([filler], [filler], 3);
    },
  ],
];

it.each(hostile)('%s', (_, make) => {
  const options = make();
  let best = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && (attempt < 2 || best > longest); attempt += 1) {
    // Copies, because anchors that were read once are not read again.
    const fresh = { ...options, anchors: options.anchors.map((anchor) => Buffer.from(anchor)) };
    const start = process.cpuUsage();
    const result = verifyChain(fresh);
    const { user, system } = process.cpuUsage(start);
    best = Math.min(best, (user + system) / 1000);
    expect(result.signatureChecks).toBeLessThanOrEqual(100);
  }
  expect(best).toBeLessThan(longest);
});

it('a long chain with the slowest keys is still valid', () => {
  const chain = [writeRoot({ keys: generateKeyPairSync('ec', { namedCurve: 'P-521' }) })];
  times(8, (index) => {
    const keys = generateKeyPairSync('ec', { namedCurve: 'P-521' });
    chain.unshift(writeIntermediate(chain[0]!, { subject: `ca ${index}`, keys }));
  });
  expect(outcome(verify([writeLeaf(chain[0]!), ...chain]))).toBe('valid');
});

it('gives up, instead of comparing each of many names with each of many constraints', () => {
  const judge = (constraints: number, names: number) => {
    const excluded = x.nameConstraints({ excluded: shortNames(constraints) });
    return outcome(verifyChain(withExtensions([excluded], [x.subjectAltNames(times(names, () => x.dns('b')))])));
  };
  expect(judge(100, 400)).toBe('valid');
  expect(judge(1_000, 100)).toBe('too-much-work at 0');
});

it('gives up on too many signature checks', () => {
  const p521 = () => generateKeyPairSync('ec', { namedCurve: 'P-521' });
  expect(outcome(verifyChain(tower(p521)))).toBe('too-much-work at 0');
});
