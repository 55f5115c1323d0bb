import fc from 'fast-check';
import { beforeEach, describe, expect, it, test } from 'vitest';
import * as x from '../../server/test/support/certificate-extensions.ts';
import type { Authority } from '../../server/test/support/certificate-writer.ts';
import { commonName, newKeys, now, reuseKeys, write } from '../../server/test/support/certificate-writer.ts';
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

beforeEach(reuseKeys);

/** A name and a key, without a certificate yet. */
function party(name: string): Authority {
  return { der: Buffer.alloc(0), keys: newKeys(), subject: commonName(name) };
}

const certify = (subject: Authority, issuer: Authority, extensions = issuerExtensions, notAfter?: Date) => {
  return write({ issuer, subject: subject.subject, keys: subject.keys, extensions, ...(notAfter && { notAfter }) }).der;
};

function judge(leaf: Authority, bag: readonly Buffer[], anchors: readonly Buffer[], maxDepth?: number) {
  const options: ChainOptions = { leaf: leaf.der, bag, anchors, at: now, requiredExtendedKeyUsage: null };
  return verifyChain(maxDepth === undefined ? options : { ...options, maxDepth });
}

describe('of several paths', () => {
  it('the valid one is found, whatever is wrong with the others', () => {
    const [root, otherRoot, ca] = [party('root'), party('other root'), party('ca')];
    const forbidden = [...issuerExtensions, x.subjectAltNames([x.dns('forbidden.example.com')])];
    const noIssuers = [x.basicConstraints(true, 0)];
    const leaf = writeLeaf(ca);
    const bad: readonly [string, Buffer, Buffer][] = [
      ['expired', certify(ca, root, issuerExtensions, new Date(now - 1)), certify(root, root)],
      ['path-length', certify(ca, root), certify(root, root, noIssuers)],
      [
        'name-constraints',
        certify(ca, root, forbidden),
        certify(root, root, [...issuerExtensions, x.nameConstraints({ excluded: [x.dns('example.com')] })]),
      ],
      [
        'unknown-critical-extension',
        certify(ca, root, [x.extension('1.2.3', true, Buffer.alloc(0))]),
        certify(root, root),
      ],
      ['not-a-ca', certify(ca, root, []), certify(root, root)],
    ];
    const [good, goodRoot] = [certify(ca, otherRoot), certify(otherRoot, otherRoot)];
    for (const [rule, cross, anchor] of bad) {
      expect(judge(leaf, [cross], [anchor])).toMatchObject({ valid: false, rule });
      expect(judge(leaf, [cross, good], [anchor, goodRoot])).toMatchObject({ path: [leaf.der, good, goodRoot] });
    }
    const all = bad.map(([, cross]) => cross);
    expect(judge(leaf, [...all, good], [goodRoot]).valid).toBe(true);
  });

  it('a trusted root ends the path, although it was sent with an expired certificate by another root', () => {
    const [root, older] = [party('root'), party('older root')];
    const leaf = writeLeaf(root);
    const expired = certify(root, older, issuerExtensions, new Date(now - 1));
    const anchors = [certify(older, older), certify(root, root)];
    expect(judge(leaf, [expired], anchors)).toMatchObject({ path: [leaf.der, anchors[1]] });
  });

  it('the report is of the one that came nearest to an anchor', () => {
    const [root, ca] = [party('root'), party('ca')];
    const leaf = writeLeaf(ca);
    const [unrelated, anchor] = [certify(ca, party('nobody')), certify(root, root, [x.basicConstraints(true, 0)])];
    expect(outcome(judge(leaf, [unrelated, certify(ca, root)], [anchor]))).toBe('path-length at 1');
    expect(outcome(judge(leaf, [unrelated], [anchor]))).toBe('unknown-issuer at 1');
    expect(outcome(judge(leaf, [certify(party('ca'), root)], [anchor]))).toBe('signature at 0');
    expect(outcome(judge(leaf, [Buffer.from('no certificate')], [anchor]))).toBe('malformed at null');
  });

  it('key identifiers decide the order only', () => {
    const root = party('root');
    const cas = Array.from({ length: 8 }, () => party('ca'));
    const bag = cas.map((ca) => certify(ca, root, [...issuerExtensions, x.subjectKeyId(ca.keys)]));
    const anchors = [certify(root, root)];
    const leafOf = (keys: Authority['keys']) => writeLeaf(cas[4]!, { extensions: [x.authorityKeyId(keys)] });
    expect(judge(leafOf(cas[4]!.keys), bag, anchors)).toMatchObject({ valid: true, signatureChecks: 2 });
    expect(judge(leafOf(cas[7]!.keys), bag, anchors).valid).toBe(true);
  });
});

describe('circles end', () => {
  it('of two issuers that certify each other', () => {
    const [one, two] = [party('one'), party('two')];
    const [root, leaf] = [writeRoot(), writeLeaf(one)];
    const bag = [certify(one, two), certify(two, one)];
    expect(outcome(judge(leaf, bag, [root.der]))).toMatch(/^unknown-issuer/);
    expect(judge(leaf, [...bag, certify(two, root)], [root.der])).toMatchObject({ valid: true });
  });

  it('of issuers with one name and two keys', () => {
    const [one, two] = [party('ca'), party('ca')];
    expect(judge(writeLeaf(one), [certify(one, two), certify(two, one)], [writeRoot().der]).valid).toBe(false);
  });

  it('of three roots that certify each other (CVE-2024-0567)', () => {
    const [a, b, c, a1] = [party('A'), party('B'), party('C'), party('A1')];
    const pairs: readonly (readonly [Authority, Authority])[] = [
      [a, b],
      [a, c],
      [b, a],
      [b, c],
      [c, a],
      [c, b],
      [a1, a],
    ];
    const bag = pairs.map(([subject, issuer]) => certify(subject, issuer));
    expect(judge(writeLeaf(a1), bag, [certify(a, a)])).toMatchObject({ valid: true, path: { length: 3 } });
  });
});

test('the leaf alone is proved: a filler chain never makes another certificate valid', () => {
  const root = writeRoot();
  const ca = writeIntermediate(root);
  const somebody = writeLeaf(ca, { subject: 'somebody' });
  const attacker = writeLeaf(writeRoot({ subject: 'attacker' }), { subject: 'somebody' });
  const below = writeLeaf({ ...somebody }, { subject: 'somebody else' });
  for (const leaf of [attacker, below]) {
    for (const bag of [
      [somebody, ca, root],
      [root, ca, somebody],
      [ca, somebody],
    ]) {
      expect(
        judge(
          leaf,
          bag.map(({ der }) => der),
          [root.der],
        ).valid,
      ).toBe(false);
    }
  }
});

test('the deepest path has 8 intermediates, whatever the caller allows', () => {
  const chainOf = (intermediates: number) => {
    const chain = [writeRoot()];
    for (let at = 0; at < intermediates; at += 1) chain.unshift(writeIntermediate(chain[0]!, { subject: `ca ${at}` }));
    return [writeLeaf(chain[0]!), ...chain];
  };
  expect(outcome(verify(chainOf(8)))).toBe('valid');
  expect(outcome(verify(chainOf(8), { maxDepth: 100 }))).toBe('valid');
  const nine = chainOf(9);
  const anchors = [nine.at(-1)!.der, ...nine.slice(9, 10).map(({ der }) => der)];
  expect(
    judge(
      nine[0]!,
      nine.slice(1, -2).map(({ der }) => der),
      [anchors[1]!],
    ).valid,
  ).toBe(true);
  expect(outcome(verify(nine))).toBe('path-too-deep at 9');
  expect(outcome(verify(chainOf(1), { maxDepth: 0 }))).toBe('path-too-deep at 1');
  expect(outcome(verify(chainOf(0), { maxDepth: 0 }))).toBe('valid');
});

test('a time or depth that is no number makes nothing valid', () => {
  const root = writeRoot();
  const ca = writeIntermediate(root);
  expect(outcome(verify([writeLeaf(root), root], { at: Number.NaN }))).toBe('not-yet-valid at 1');
  expect(outcome(verify([writeLeaf(ca), ca, root], { maxDepth: Number.NaN }))).toBe('path-too-deep at 1');
});

/** An issuer by its number; the last number is the root, which is the anchor. */
const edge = fc.record({ subject: fc.nat(4), issuer: fc.nat(5), signed: fc.boolean(), expired: fc.boolean() });

test('a chain is valid exactly when there is a path, and the order and copies in the bag change nothing', () => {
  fc.assert(
    fc.property(
      fc.array(edge, { maxLength: 8 }),
      fc.array(fc.constantFrom('a', 'b'), { minLength: 6, maxLength: 6 }),
      fc.infiniteStream(fc.nat()),
      (edges, names, random) => {
        reuseKeys();
        const parties = names.map(party);
        const root = parties[5]!;
        const anchor = certify(root, root);
        const leaf = writeLeaf(parties[0]!);
        const other = party('nobody');
        const bag = edges.map(({ subject, issuer, signed, expired }) => {
          const by = signed ? parties[issuer]! : { ...parties[issuer]!, keys: other.keys };
          return certify(parties[subject]!, by, issuerExtensions, expired ? new Date(now - 1) : undefined);
        });
        const usable = edges.filter(({ signed, expired }) => signed && !expired);
        const reached = new Set([0]);
        for (const from of reached) for (const { subject, issuer } of usable) if (subject === from) reached.add(issuer);

        const result = judge(leaf, bag, [anchor]);
        expect(result.valid).toBe(reached.has(5));
        expect(result.signatureChecks).toBeLessThanOrEqual(100);
        const shuffled = [...bag, ...bag].sort(() => (random.next().value % 3) - 1);
        expect(judge(leaf, [...shuffled, anchor, leaf.der], [anchor])).toEqual(result);
      },
    ),
    { numRuns: 150 },
  );
});

test('a member of a chain can be sent anywhere and more than once, and cannot be left out', () => {
  const chain = [writeRoot()];
  for (let at = 0; at < 4; at += 1) chain.unshift(writeIntermediate(chain[0]!, { subject: `ca ${at}` }));
  const leaf = writeLeaf(chain[0]!);
  const issuers = chain.slice(0, -1).map(({ der }) => der);
  const anchors = [chain.at(-1)!.der];
  const outsiders = [writeRoot({ subject: 'ca 3' }).der, writeLeaf(chain[1]!, { subject: 'ca 3' }).der, Buffer.of(1)];
  const member = fc.constantFrom(...issuers, ...outsiders);
  fc.assert(
    fc.property(fc.array(member, { maxLength: 20 }), (bag) => {
      const complete = issuers.every((der) => bag.includes(der));
      expect(judge(leaf, bag, anchors).valid).toBe(complete);
    }),
    { examples: [[issuers], [[...issuers].reverse()], [[...outsiders, ...issuers, ...issuers]]] },
  );
});
