import { describe, expect, it } from 'vitest';
import * as x from '../../server/test/support/certificate-extensions.ts';
import {
  issuerExtensions,
  outcome,
  verify,
  writeIntermediate,
  writeLeaf,
  writeRoot,
} from '../../server/test/support/chain.ts';

const [gold, silver, bronze] = ['2.16.840.1.101.3.2.1.48.1', '2.16.840.1.101.3.2.1.48.2', '2.16.840.1.101.3.2.1.48.3'];
const required = x.policyConstraints({ requireExplicit: 0 });
const { policies, policyMappings, anyPolicy } = x;

/** Extensions of the certificates below the root, the leaf last. `selfIssued`: the second has the name of the first. */
function judge(
  extensions: readonly (readonly Buffer[])[],
  options: { root?: Buffer[]; selfIssued?: boolean } = {},
): string {
  const root = writeRoot({ extensions: [...issuerExtensions, ...(options.root ?? [])] });
  const chain = [root];
  extensions.slice(0, -1).forEach((own, index) => {
    const subject = options.selfIssued && index === 1 ? 'issuer 0' : `issuer ${index}`;
    chain.unshift(writeIntermediate(chain[0]!, { subject, extensions: [...issuerExtensions, ...own] }));
  });
  chain.unshift(writeLeaf(chain[0]!, { extensions: extensions.at(-1)! }));
  return outcome(verify(chain));
}

const refused = /^certificate-policies at \d$/;

describe('without a required policy', () => {
  it('any policies are valid', () => {
    expect(judge([[policies(gold)], [policies(silver)]])).toBe('valid');
    expect(judge([[], []])).toBe('valid');
  });
});

describe('with a required policy', () => {
  it('one must be valid in all certificates', () => {
    expect(judge([[required, policies(gold, silver)], [policies(gold)]])).toBe('valid');
    expect(judge([[required, policies(gold)], [policies(silver)]])).toMatch(refused);
    expect(judge([[required, policies(gold)], []])).toMatch(refused);
    expect(judge([[policies(gold)], [], [required]])).toMatch(refused);
    expect(judge([[required], [policies(gold)]])).toMatch(refused);
  });

  it('the leaf itself may require it', () => {
    expect(judge([[policies(gold)], [required, policies(gold)]])).toBe('valid');
    expect(judge([[policies(gold)], [required, policies(silver)]])).toMatch(refused);
  });

  it('an anchor may require it, and its own policies do not count', () => {
    expect(judge([[policies(gold)], [policies(gold)]], { root: [required, policies(silver)] })).toBe('valid');
    expect(judge([[], [policies(gold)]], { root: [required] })).toMatch(refused);
  });

  it('the requirement begins after as many certificates as it says', () => {
    const later = (count: number) => x.policyConstraints({ requireExplicit: count });
    expect(judge([[later(0)], []])).toMatch(refused);
    expect(judge([[later(1)], []])).toMatch(refused);
    expect(judge([[later(2)], []])).toBe('valid');
    expect(judge([[later(2)], [], []])).toMatch(refused);
    expect(judge([[later(3)], [], []])).toBe('valid');
    expect(judge([[later(2)], [], []], { selfIssued: true })).toBe('valid');
  });

  it('anyPolicy stands for all policies, in either certificate', () => {
    expect(judge([[required, policies(anyPolicy)], [policies(gold)]])).toBe('valid');
    expect(judge([[required, policies(gold)], [policies(anyPolicy)]])).toBe('valid');
    expect(judge([[required, policies(anyPolicy)], [policies(anyPolicy)]])).toBe('valid');
  });

  it('anyPolicy can be inhibited, except in self-issued intermediates', () => {
    const below = [policies(anyPolicy)];
    expect(judge([[required, policies(gold), x.inhibitAnyPolicy(0)], below])).toMatch(refused);
    expect(judge([[required, policies(gold), x.inhibitAnyPolicy(1)], below])).toBe('valid');
    expect(judge([[required, policies(gold), x.inhibitAnyPolicy(1)], [policies(gold)], below])).toMatch(refused);
    expect(judge([[policies(gold)], below], { root: [required, x.inhibitAnyPolicy(0)] })).toMatch(refused);
    const chain = [[required, policies(gold), x.inhibitAnyPolicy(0)], [policies(anyPolicy)], [policies(gold)]];
    expect(judge(chain)).toMatch(refused);
    expect(judge(chain, { selfIssued: true })).toBe('valid');
  });

  it('a policy can be mapped to another one below', () => {
    const mapping = policyMappings([gold, silver]);
    expect(judge([[required, policies(gold), mapping], [policies(silver)]])).toBe('valid');
    expect(judge([[required, policies(gold), mapping], [policies(gold)]])).toMatch(refused);
    expect(judge([[required, policies(anyPolicy), mapping], [policies(silver)]])).toBe('valid');
    expect(judge([[required, policies(bronze), mapping], [policies(silver)]])).toMatch(refused);
    const both = policyMappings([gold, silver], [gold, bronze]);
    expect(judge([[required, policies(gold), both], [policies(bronze)]])).toBe('valid');
    const swapped = policyMappings([gold, silver], [silver, gold]);
    expect(judge([[required, policies(gold), swapped], [policies(silver)]])).toBe('valid');
    expect(judge([[required, policies(gold), swapped], [policies(gold)]])).toMatch(refused);
  });

  it('mappings can be inhibited', () => {
    const root = [x.policyConstraints({ requireExplicit: 0, inhibitMapping: 0 })];
    const mapping = policyMappings([gold, silver]);
    expect(judge([[policies(gold, silver), mapping], [policies(silver)]], { root })).toBe('valid');
    expect(judge([[policies(gold), mapping], [policies(silver)]], { root })).toMatch(refused);
    expect(judge([[policies(gold), mapping], [policies(gold)]], { root })).toMatch(refused);
  });
});

it('constraints that are not critical apply, too', () => {
  const requiredToo = x.policyConstraints({ requireExplicit: 0 }, false);
  expect(judge([[requiredToo, policies(gold)], [policies(gold)]])).toBe('valid');
  expect(judge([[requiredToo, policies(gold)], [policies(silver)]])).toMatch(refused);
  const inhibited = x.extension('2.5.29.54', false, x.number(0));
  expect(judge([[required, policies(gold), inhibited], [policies(gold)]])).toBe('valid');
  expect(judge([[required, policies(gold), inhibited], [policies(anyPolicy)]])).toMatch(refused);
});

it('a mapping of anyPolicy is refused', () => {
  expect(judge([[policies(gold), policyMappings([anyPolicy, gold])], []])).toBe('malformed-extension at 1');
});
