import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import * as x from '../../server/test/support/certificate-extensions.ts';
import type { Authority } from '../../server/test/support/certificate-writer.ts';
import { commonName, der, nameOf, newKeys, now, oid, sequence } from '../../server/test/support/certificate-writer.ts';
import {
  issuerExtensions,
  leafExtensions,
  outcome,
  verify,
  writeIntermediate,
  writeLeaf,
  writeRoot,
} from '../../server/test/support/chain.ts';
import { chainRules } from './broken-rule.ts';
import type { ChainOptions } from './verify-chain.ts';

type Case = readonly Authority[] | { readonly chain: readonly Authority[]; readonly options: Partial<ChainOptions> };

interface Twins {
  /** The rule and the index of the certificate that breaks it. */
  readonly refused: string;
  readonly when: string;
  /** Makes the chain that is refused, and its nearest twin that is valid. */
  readonly make: (broken: boolean) => Case;
}

const rules: Twins[] = [];
function rule(refused: string, when: string, make: (broken: boolean) => Case): void {
  rules.push({ refused, when, make });
}

/** A chain of three. Each certificate may be changed when it is to be broken. */
function chainOf(
  broken: boolean,
  changes: {
    root?: Parameters<typeof writeRoot>[0];
    intermediate?: Parameters<typeof writeRoot>[0];
    leaf?: Parameters<typeof writeRoot>[0];
  },
): readonly Authority[] {
  const root = writeRoot(broken ? changes.root : {});
  const intermediate = writeIntermediate(root, broken ? changes.intermediate : {});
  return [writeLeaf(intermediate, broken ? changes.leaf : {}), intermediate, root];
}

const day = 86_400_000;
const past = { notBefore: new Date(now - 20 * day), notAfter: new Date(now - day) };
const future = { notBefore: new Date(now + day), notAfter: new Date(now + 20 * day) };
const unknownId = '1.3.6.1.4.1.55738.666.1';
const unknown = x.extension(unknownId, true, Buffer.from('0500', 'hex'));
const harmless = x.extension(unknownId, false, Buffer.from('no DER at all'));

for (const [position, role] of ['leaf', 'intermediate', 'root'].entries()) {
  const extensions = role === 'leaf' ? leafExtensions : issuerExtensions;
  rule(`unknown-critical-extension at ${position}`, `the ${role} has one`, (broken) => {
    return chainOf(true, { [role]: { extensions: [...extensions, broken ? unknown : harmless] } });
  });
  rule(`duplicate-extension at ${position}`, `the ${role} has one twice`, (broken) => {
    return chainOf(true, { [role]: { extensions: [...extensions, harmless, ...(broken ? [harmless] : [])] } });
  });
  rule(`serial-number at ${position}`, `that of the ${role} is negative`, (broken) => {
    return chainOf(true, { [role]: { serialNumber: Buffer.from([broken ? 0x80 : 0x7f]) } });
  });
  rule(`serial-number at ${position}`, `that of the ${role} has 21 octets`, (broken) => {
    return chainOf(true, { [role]: { serialNumber: Buffer.alloc(broken ? 21 : 20, 1) } });
  });
  rule(`expired at ${position}`, `the ${role} is`, (broken) => chainOf(broken, { [role]: past }));
  rule(`not-yet-valid at ${position}`, `the ${role} is`, (broken) => chainOf(broken, { [role]: future }));
  rule(`algorithm-mismatch at ${position}`, `the ${role} names another one outside`, (broken) => {
    return chainOf(broken, { [role]: { outerAlgorithm: sequence(oid('1.2.840.10045.4.3.3')) } });
  });
  rule(`extension-criticality at ${position}`, `the key identifier of the ${role} is critical`, (broken) => {
    const keys = newKeys();
    return chainOf(true, { [role]: { keys, extensions: [...extensions, x.subjectKeyId(keys, broken)] } });
  });
  rule(`extended-key-usage at ${position}`, `the ${role} is only for servers`, (broken) => {
    const purposes = [x.purposes.serverAuth, ...(broken ? [] : [x.purposes.clientAuth])];
    return chainOf(true, { [role]: { extensions: [...extensions, x.extendedKeyUsage(...purposes)] } });
  });
}

rule('serial-number at 0', 'that of the leaf is zero', (broken) => {
  return chainOf(true, { leaf: { serialNumber: Buffer.from([broken ? 0 : 1]) } });
});
rule('not-a-ca at 1', 'the intermediate has CA:FALSE', (broken) => {
  return chainOf(broken, { intermediate: { extensions: [x.basicConstraints(false), x.keyUsage(x.keyCertSign)] } });
});
rule('not-a-ca at 1', 'the intermediate has no basicConstraints', (broken) => {
  return chainOf(broken, { intermediate: { extensions: [x.keyUsage(x.keyCertSign)] } });
});
rule('not-a-ca at 1', 'its basicConstraints are not critical', (broken) => {
  return chainOf(true, { intermediate: { extensions: [x.basicConstraints(true, undefined, !broken)] } });
});
rule('not-a-ca at 2', 'the anchor has CA:FALSE', (broken) => {
  return chainOf(broken, { root: { extensions: [x.basicConstraints(false)] } });
});
rule('version at 2', 'the anchor is of version 1', (broken) => {
  return chainOf(broken, { root: { version: 1, extensions: [] } });
});
rule('version at 1', 'an intermediate is of version 1', (broken) => {
  return chainOf(broken, { intermediate: { version: 1, extensions: [] } });
});
rule('version at 0', 'a leaf of version 1 has extensions', (broken) => {
  return chainOf(true, { leaf: { version: 1, extensions: broken ? leafExtensions : [] } });
});
rule('key-usage at 1', 'the intermediate may only sign data', (broken) => {
  const flags = broken ? x.digitalSignature : x.digitalSignature | x.keyCertSign;
  return chainOf(true, { intermediate: { extensions: [x.basicConstraints(true), x.keyUsage(flags)] } });
});
rule('key-usage at 2', 'the keyUsage of the anchor is empty', (broken) => {
  return chainOf(broken, { root: { extensions: [x.basicConstraints(true), x.keyUsage(0)] } });
});
rule('key-usage at 0', 'the leaf may only encipher keys', (broken) => {
  return chainOf(true, {
    leaf: { extensions: [x.keyUsage(broken ? x.keyEncipherment : x.keyEncipherment | x.digitalSignature)] },
  });
});
rule('ca-as-leaf at 0', 'the leaf has CA:TRUE', (broken) => {
  return chainOf(true, { leaf: { extensions: [x.basicConstraints(broken), x.keyUsage(x.digitalSignature)] } });
});
rule('ca-as-leaf at 0', 'the leaf has keyCertSign', (broken) => {
  return chainOf(true, { leaf: { extensions: [x.keyUsage(x.digitalSignature | (broken ? x.keyCertSign : 0))] } });
});
rule('empty-name at 0', 'the leaf has no name', (broken) => {
  const extensions = [...leafExtensions, x.subjectAltNames([x.dns('device')], !broken)];
  return chainOf(true, { leaf: { subject: sequence(), extensions } });
});
rule('empty-name at 0', 'its issuer has no name', (broken) => chainOf(broken, { leaf: { issuerName: sequence() } }));
rule('path-length at 1', 'the anchor allows no intermediates', (broken) => {
  return chainOf(true, { root: { extensions: [x.basicConstraints(true, broken ? 0 : 1)] } });
});
rule('path-length at 1', 'an intermediate allows none below', (broken) => {
  const root = writeRoot();
  const upper = writeIntermediate(root, { subject: 'upper', extensions: [x.basicConstraints(true, broken ? 0 : 1)] });
  const lower = writeIntermediate(upper, { subject: 'lower', extensions: [x.basicConstraints(true, 7)] });
  return [writeLeaf(lower), lower, upper, root];
});
rule('path-length at 1', 'a self-issued certificate does not count, another one does', (broken) => {
  const root = writeRoot({ extensions: [x.basicConstraints(true, broken ? 0 : 1)] });
  const upper = writeIntermediate(root, { subject: 'root' });
  const lower = writeIntermediate(upper);
  return [writeLeaf(lower), lower, upper, root];
});
rule('malformed-extension at 1', 'pathLenConstraint without CA:TRUE', (broken) => {
  return chainOf(true, { intermediate: { extensions: [x.basicConstraints(!broken, 0)] } });
});
rule('malformed-extension at 0', 'nameConstraints in the leaf', (broken) => {
  const constraints = x.nameConstraints({ permitted: [x.dns('example.com')] });
  return chainOf(true, { leaf: { extensions: broken ? [constraints] : [] } });
});
for (const [when, id, value] of [
  ['subjectAltName without DER', '2.5.29.17', Buffer.from('example.com')],
  ['subjectAltName without names', '2.5.29.17', sequence()],
  ['subjectAltName with an IP address of 5 octets', '2.5.29.17', sequence(x.ip('192.0.2.0.1'))],
  ['subjectAltName with an empty name', '2.5.29.17', sequence(x.dns(''))],
  ['subjectAltName with a letter outside of ASCII', '2.5.29.17', sequence(x.dns('\u00e9.example.com'))],
  ['extKeyUsage without a purpose', '2.5.29.37', sequence()],
  ['keyUsage that is a number', '2.5.29.15', x.number(3)],
  ['keyUsage with bits behind the end', '2.5.29.15', der(0x03, Buffer.from([3, 0x81]))],
  ['a policy twice', '2.5.29.32', sequence(sequence(oid('1.2.3')), sequence(oid('1.2.3')))],
  ['bytes behind an extension', '2.5.29.37', Buffer.concat([sequence(oid(x.purposes.any)), Buffer.from([0])])],
  ['authority information access without DER', '1.3.6.1.5.5.7.1.1', Buffer.from('malformed')],
] as const) {
  rule('malformed-extension at 0', when, (broken) => {
    return chainOf(broken, { leaf: { extensions: [x.extension(id, false, value)] } });
  });
}
rule('extension-criticality at 0', 'authority information access is critical', (broken) => {
  const access = sequence(sequence(oid('1.3.6.1.5.5.7.48.2'), x.uri('http://example.com/ca')));
  return chainOf(true, { leaf: { extensions: [x.extension('1.3.6.1.5.5.7.1.1', broken, access)] } });
});
rule('extension-criticality at 0', 'the key identifier of the issuer is critical', (broken) => {
  return chainOf(true, { leaf: { extensions: [x.authorityKeyId(newKeys(), broken)] } });
});
rule('unknown-critical-extension at 0', 'a qualifier of a critical policy is unknown', (broken) => {
  const qualifiers = sequence(sequence(oid(broken ? unknownId : '1.3.6.1.5.5.7.2.1'), der(0x16)));
  const value = sequence(sequence(oid('1.2.3'), qualifiers));
  return chainOf(true, { leaf: { extensions: [x.extension('2.5.29.32', true, value)] } });
});
rule('unknown-issuer at 0', 'the intermediate was not sent', (broken) => {
  const [leaf, intermediate, root] = chainOf(false, {});
  return { chain: [leaf!, intermediate!, root!], options: broken ? { bag: [] } : {} };
});
rule('unknown-issuer at 2', 'the root was sent, and is no anchor', (broken) => {
  const chain = chainOf(false, {});
  const others = broken ? [writeRoot({ subject: 'another root' }).der] : [chain[2]!.der];
  return { chain, options: { bag: chain.slice(1).map((one) => one.der), anchors: others } };
});
rule('unknown-issuer at 0', 'the name of the issuer is another one', (broken) => {
  return chainOf(broken, { leaf: { issuerName: commonName('intermediate 2') } });
});
rule('signature at 1', 'the anchor has the name, and another key', (broken) => {
  const chain = chainOf(false, {});
  return { chain, options: broken ? { anchors: [writeRoot().der] } : {} };
});
rule('signature at 0', 'the signature is of something else', (broken) => {
  const [leaf, intermediate, root] = chainOf(false, {});
  const bytes = Buffer.from(leaf!.der);
  if (broken) bytes.writeUInt8(bytes.readUInt8(bytes.length - 1) ^ 1, bytes.length - 1);
  return [{ ...leaf!, der: bytes }, intermediate!, root!];
});
rule('path-too-deep at 2', 'the caller allows one intermediate', (broken) => {
  const root = writeRoot();
  const upper = writeIntermediate(root, { subject: 'upper' });
  const lower = writeIntermediate(upper, { subject: 'lower' });
  return { chain: [writeLeaf(lower), lower, upper, root], options: { maxDepth: broken ? 1 : 2 } };
});
rule('too-many-certificates at 0', '11 were sent', (broken) => {
  const chain = chainOf(false, {});
  const others = Array.from({ length: broken ? 9 : 8 }, (_, index) => writeRoot({ subject: `other ${index}` }).der);
  return { chain, options: { bag: [chain[1]!.der, ...others] } };
});
rule('too-large at 0', 'they have more than 64 KiB', (broken) => {
  const chain = chainOf(false, {});
  const others = Array.from({ length: 5 }, (_, index) => Buffer.alloc(broken ? 16_000 : 12_000, index));
  return { chain, options: { bag: [chain[1]!.der, ...others] } };
});
rule('too-large at 0', 'the leaf has more than 16 KiB', (broken) => {
  const filler = x.extension(unknownId, false, Buffer.alloc(broken ? 16_384 : 15_000));
  return chainOf(true, { leaf: { extensions: [filler] } });
});
rule('weak-key at 0', 'P-224', (broken) => {
  return chainOf(broken, { leaf: { keys: generateKeyPairSync('ec', { namedCurve: 'P-224' }) } });
});
rule('malformed at 0', 'a name has an attribute twice in a SET that is not in order', (broken) => {
  const attributes = ['a', 'b'].map((text) => sequence(oid('2.5.4.11'), der(0x0c, Buffer.from(text))));
  return chainOf(true, { leaf: { subject: sequence(der(0x31, ...(broken ? attributes.reverse() : attributes))) } });
});

describe('a chain is refused', () => {
  it.each(rules)('$refused: $when', ({ refused, make }) => {
    expect(judge(make(false))).toBe('valid');
    expect(judge(make(true))).toBe(refused);
  });

  function judge(made: Case): string {
    return 'chain' in made ? outcome(verify(made.chain, made.options)) : outcome(verify(made));
  }
});

describe('a chain is valid', () => {
  it.each<[string, () => readonly Authority[]]>([
    ['below a root', () => [writeLeaf(writeRootOnce()), writeRootOnce()]],
    ['when the anchor is an intermediate', () => chainOf(false, {}).slice(0, 2)],
    ['with a leaf without extensions', () => chainOf(true, { leaf: { extensions: [] } })],
    ['with an anchor whose serial number is zero', () => chainOf(true, { root: { serialNumber: Buffer.from([0]) } })],
    ['with anyExtendedKeyUsage', () => chainOf(true, { leaf: { extensions: [x.extendedKeyUsage(x.purposes.any)] } })],
    [
      'with dates after 2049',
      () =>
        chainOf(true, {
          root: { notAfter: new Date('9999-12-31T23:59:59Z') },
          leaf: { notAfter: new Date('2100-01-01') },
        }),
    ],
    [
      'with names that differ in case and white space',
      () => chainOf(true, { leaf: { issuerName: commonName(' InterMediate\t') } }),
    ],
    [
      'with names in other kinds of strings',
      () => chainOf(true, { leaf: { issuerName: nameOf(['2.5.4.3', der(0x13, Buffer.from('intermediate'))]) } }),
    ],
  ])('%s', (_, make) => {
    expect(outcome(verify(make()))).toBe('valid');
  });
});

let onlyRoot: Authority | undefined;
const writeRootOnce = () => {
  onlyRoot ??= writeRoot();
  return onlyRoot;
};

test('dates are inclusive, and parts of a second do not count', () => {
  const [notBefore, notAfter] = [new Date(now), new Date(now + day)];
  const chain = chainOf(true, { leaf: { notBefore, notAfter } });
  const at = (time: number) => outcome(verify(chain, { at: time }));
  expect(at(now)).toBe('valid');
  expect(at(now - 1)).toBe('not-yet-valid at 0');
  expect(at(now + day + 999)).toBe('valid');
  expect(at(now + day + 1000)).toBe('expired at 0');
});

test('only the dates of the leaf can be ignored', () => {
  for (const dates of [past, future]) {
    const result = verify(chainOf(true, { leaf: dates }), { leafDates: 'ignored' });
    expect(result).toMatchObject({ valid: true, leafInDates: false });
    expect(outcome(verify(chainOf(true, { intermediate: dates }), { leafDates: 'ignored' }))).toMatch(/at 1$/);
    expect(outcome(verify(chainOf(true, { root: dates }), { leafDates: 'ignored' }))).toMatch(/at 2$/);
  }
  expect(verify(chainOf(false, {}))).toMatchObject({ valid: true, leafInDates: true });
});

test('a leaf that is an anchor itself is not valid', () => {
  const leaf = writeRoot({ extensions: leafExtensions });
  expect(outcome(verify([leaf], { anchors: [leaf.der] }))).toBe('unknown-issuer at 0');
});

test('reports the certificate and its subject, and returns the buffers that it got', () => {
  const chain = chainOf(true, { intermediate: { ...past } });
  expect(verify(chain)).toMatchObject({ certificate: chain[1]!.der, subject: 'CN=intermediate', position: 1 });
  const valid = chainOf(false, {});
  const result = verify(valid);
  expect(result.valid && result.path.every((der, index) => der === valid[index]!.der)).toBe(true);
});

test('each rule but those with tests of their own has a case here', () => {
  const elsewhere = [
    'weak-signature',
    'name-constraints',
    'unsupported-name-constraint',
    'certificate-policies',
    'too-much-work',
  ];
  const missing = Object.keys(chainRules).filter((id) => !rules.some(({ refused }) => refused.startsWith(`${id} at`)));
  expect(missing).toEqual(elsewhere);
});
