import { describe, expect, it } from 'vitest';
import { outcome, verify, writeIntermediate, writeLeaf, writeRoot } from '../../server/test/support/chain.ts';

/** Breaks the signature in place. Nobody may do that to a certificate that is kept: here it shows what is checked again. */
const breakSignature = (der: Buffer) => der.writeUInt8((der.at(-1) ?? 0) ^ 1, der.length - 1);

describe('the signature of a certificate that many clients send', () => {
  it('is checked once, and counts each time', () => {
    const root = writeRoot();
    const intermediate = writeIntermediate(root);
    const chain = [writeLeaf(intermediate), intermediate, root];
    const sent = { bag: [Buffer.from(intermediate.der)], oftenSent: [intermediate.der] };

    expect(verify(chain, sent)).toMatchObject({ valid: true, signatureChecks: 2 });
    breakSignature(intermediate.der);
    expect(verify(chain, { ...sent, bag: [Buffer.from(intermediate.der)] })).toMatchObject({
      valid: true,
      signatureChecks: 2,
    });
  });

  it('is checked for each key', () => {
    const [root, other] = [writeRoot(), writeRoot()];
    const intermediate = writeIntermediate(root);
    const leaf = writeLeaf(intermediate);
    const below = (anchor: typeof root) =>
      outcome(
        verify([leaf, intermediate, anchor], {
          bag: [Buffer.from(intermediate.der)],
          oftenSent: [intermediate.der],
        }),
      );
    const results = [root, other, root, other].map(below);
    expect(results).toEqual(['valid', 'signature at 1', 'valid', 'signature at 1']);
  });
});

it('a leaf that is sent often is read once, and everything but its signature is judged each time', () => {
  const [root, other] = [writeRoot(), writeRoot()];
  const leaf = writeLeaf(root);
  const often = { oftenSent: [leaf.der] };
  expect(outcome(verify([leaf, root], often))).toBe('valid');
  expect(outcome(verify([leaf, other], often))).toBe('signature at 0');
  expect(outcome(verify([leaf, root], { ...often, anchors: [] }))).toBe('unknown-issuer at 0');
  expect(outcome(verify([leaf, root], { ...often, at: Date.UTC(2200, 0) }))).not.toBe('valid');

  breakSignature(leaf.der);
  expect(outcome(verify([leaf, root], often))).toBe('valid');
  // Another buffer with these bytes is another certificate.
  expect(outcome(verify([leaf, root], { ...often, leaf: Buffer.from(leaf.der) }))).toBe('signature at 0');
});

it('the signature of any other certificate is checked each time', () => {
  const root = writeRoot();
  const intermediate = writeIntermediate(root);
  const chain = [writeLeaf(intermediate), intermediate, root];
  expect(outcome(verify(chain))).toBe('valid');
  breakSignature(intermediate.der);
  expect(outcome(verify(chain))).toBe('signature at 1');
  breakSignature(intermediate.der);
  breakSignature(chain[0]!.der);
  expect(outcome(verify(chain, { oftenSent: [intermediate.der] }))).toBe('signature at 0');
});
