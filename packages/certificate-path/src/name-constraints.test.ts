import { describe, expect, it, test } from 'vitest';
import * as x from '../../server/test/support/certificate-extensions.ts';
import { commonName, der, nameOf } from '../../server/test/support/certificate-writer.ts';
import {
  issuerExtensions,
  outcome,
  verify,
  writeIntermediate,
  writeLeaf,
  writeRoot,
} from '../../server/test/support/chain.ts';

const { dns, email, uri, ip } = x;
const organisation = (name: string, unit?: string) => {
  return nameOf(['2.5.4.10', name], ...(unit === undefined ? [] : [['2.5.4.11', unit] as const]));
};
const inOrganisation = (name: string, unit?: string) => x.directoryName(organisation(name, unit));

interface Constraints {
  readonly permitted?: readonly Buffer[];
  readonly excluded?: readonly Buffer[];
}

/** The leaf has the names, and the intermediate above it the constraints. */
function judge(constraints: Constraints, names: readonly Buffer[], subject: string | Buffer = 'leaf'): string {
  const root = writeRoot();
  const intermediate = writeIntermediate(root, { extensions: [...issuerExtensions, x.nameConstraints(constraints)] });
  const extensions = names.length > 0 ? [x.subjectAltNames(names)] : [];
  return outcome(verify([writeLeaf(intermediate, { extensions, subject }), intermediate, root]));
}

describe.each<[string, Buffer, Buffer[], Buffer[]]>([
  [
    'a DNS name',
    dns('example.com'),
    [dns('example.com'), dns('a.b.Example.COM'), dns('*.example.com')],
    [dns('notexample.com'), dns('com'), dns('.example.com'), dns('example.com.'), dns('a b.example.com'), dns('*.com')],
  ],
  ['all DNS names', dns(''), [dns('a'), dns('*.example.com')], [dns('.')]],
  [
    'one mailbox',
    email('Jo@Example.com'),
    [email('Jo@example.COM')],
    [email('jo@example.com'), email('x@example.com')],
  ],
  [
    'mailboxes of a host',
    email('example.com'),
    [email('a@example.com'), email('b@EXAMPLE.com')],
    [
      email('a@sub.example.com'),
      email('a@b@example.com'),
      email('"a@x"@example.com'),
      email('@example.com'),
      email('example.com'),
    ],
  ],
  [
    'mailboxes below a domain',
    email('.example.com'),
    [email('a@sub.example.com')],
    [email('a@example.com'), email('a@subexample.com')],
  ],
  [
    'URIs of a host',
    uri('example.com'),
    [uri('https://example.com/a'), uri('spiffe://user@EXAMPLE.com:80?x')],
    [
      uri('https://sub.example.com'),
      uri('https://evil.com/https://example.com'),
      uri('https://example.com@evil.com'),
      uri('urn:example.com'),
      uri('//example.com'),
      uri('https://192.0.2.1'),
      uri('https://[2001:db8::1]/'),
    ],
  ],
  [
    'URIs below a domain',
    uri('.example.com'),
    [uri('https://a.example.com')],
    [uri('https://example.com'), uri('https://a.example.com.evil.com')],
  ],
  [
    'a network of IPv4',
    ip('192.0.2.0.255.255.255.0'),
    [ip('192.0.2.0'), ip('192.0.2.255')],
    [ip('192.0.3.1'), der(0x87, Buffer.alloc(16, 0xc0))],
  ],
  [
    'a network of IPv6',
    der(0x87, Buffer.concat([Buffer.alloc(16, 0x20), Buffer.alloc(2, 0xff), Buffer.alloc(14)])),
    [der(0x87, Buffer.concat([Buffer.alloc(2, 0x20), Buffer.alloc(14)]))],
    [der(0x87, Buffer.alloc(16, 0x21)), ip('32.32.32.32')],
  ],
  ['a directory', inOrganisation('Example'), [inOrganisation(' EXAMPLE ', 'unit')], [inOrganisation('Other')]],
])('%s', (_, base, within, outside) => {
  // The subject must be in the directory, too.
  const subject = organisation('example', 'device');
  const isDirectory = base[0] === 0xa4;

  it('that is permitted', () => {
    for (const name of within) expect(judge({ permitted: [base] }, [name], subject)).toBe('valid');
    for (const name of outside) expect(judge({ permitted: [base] }, [name], subject)).toBe('name-constraints at 0');
    expect(judge({ permitted: [base] }, [...within, outside[0]!], subject)).toBe('name-constraints at 0');
    expect(judge({ permitted: [base] }, [x.registeredId('1.2.3')], subject)).toBe('valid');
  });

  it('that is excluded', () => {
    for (const name of within) expect(judge({ excluded: [base] }, [name])).toBe('name-constraints at 0');
    if (!isDirectory) expect(judge({ excluded: [base] }, [x.registeredId('1.2.3')])).toBe('valid');
    expect(judge({ permitted: [base], excluded: [base] }, [within[0]!], subject)).toBe('name-constraints at 0');
  });
});

describe('names outside of excluded subtrees are free', () => {
  it.each<[string, Buffer, Buffer]>([
    ['DNS', dns('bar.example.com'), dns('foo.example.com')],
    ['email', email('example.com'), email('a@example.org')],
    ['URI', uri('.example.com'), uri('https://example.com')],
    ['IP', ip('10.0.0.0.255.0.0.0'), ip('11.0.0.1')],
    ['directory', inOrganisation('Other'), inOrganisation('Example')],
  ])('%s', (_, excluded, name) => {
    expect(judge({ excluded: [excluded] }, [name])).toBe('valid');
  });
});

test('a wildcard that stands for an excluded name is excluded, and one that reaches beyond a permitted one is not within', () => {
  expect(judge({ excluded: [dns('bar.example.com')] }, [dns('*.example.com')])).toBe('name-constraints at 0');
  expect(judge({ excluded: [dns('bar.example.com')] }, [dns('*.foo.example.com')])).toBe('valid');
  expect(judge({ permitted: [dns('foo.example.com')] }, [dns('*.example.com')])).toBe('name-constraints at 0');
});

test('the subject counts as a directory name, and its addresses as addresses', () => {
  const permitted = [inOrganisation('Example')];
  expect(judge({ permitted }, [inOrganisation('Example')], organisation('Other'))).toBe('name-constraints at 0');
  expect(judge({ excluded: permitted }, [inOrganisation('Other')], organisation('Example'))).toBe(
    'name-constraints at 0',
  );
  const withEmail = nameOf(['1.2.840.113549.1.9.1', der(0x16, Buffer.from('a@example.com'))]);
  expect(judge({ permitted: [email('example.com')] }, [], withEmail)).toBe('valid');
  expect(judge({ permitted: [email('example.org')] }, [], withEmail)).toBe('name-constraints at 0');
});

test('a constraint that cannot be checked refuses names of its form only', () => {
  const constraints = { excluded: [x.otherName('1.2.3.4')] };
  expect(judge(constraints, [dns('example.com')])).toBe('valid');
  expect(judge(constraints, [x.otherName('1.2.3.4')])).toBe('unsupported-name-constraint at 0');
  expect(judge({ permitted: [x.registeredId('1.2.3')] }, [x.registeredId('1.2.3')])).toBe(
    'unsupported-name-constraint at 0',
  );
  const international = x.otherName('1.3.6.1.5.5.7.8.9');
  expect(judge({ permitted: [email('example.com')] }, [international])).toBe('unsupported-name-constraint at 0');
  expect(judge({ permitted: [dns('example.com')] }, [international])).toBe('valid');
});

describe('a constraint that is none is refused', () => {
  it.each<[string, Buffer]>([
    ['a wildcard', dns('*.example.com')],
    ['a leading dot', dns('.example.com')],
    ['an address without a mask', ip('192.0.2.1')],
    ['a mask with holes', ip('192.0.2.0.255.0.255.0')],
    ['two @', email('a@b@example.com')],
    ['a URI', uri('https://example.com')],
  ])('%s', (_, base) => {
    expect(judge({ permitted: [base] }, [])).toBe('malformed-extension at 1');
    expect(judge({ excluded: [base] }, [])).toBe('malformed-extension at 1');
  });

  it('no subtree at all', () => {
    expect(judge({}, [])).toBe('malformed-extension at 1');
  });
});

describe('along the path', () => {
  const permit = (...names: string[]) => x.nameConstraints({ permitted: names.map(dns) });
  const path = (rootExtension: Buffer[], upperExtension: Buffer[], lowerExtension: Buffer[], lower = 'lower') => {
    const root = writeRoot({ subject: 'root', extensions: [...issuerExtensions, ...rootExtension] });
    const upper = writeIntermediate(root, { subject: 'upper', extensions: [...issuerExtensions, ...upperExtension] });
    const below = writeIntermediate(upper, { subject: lower, extensions: [...issuerExtensions, ...lowerExtension] });
    const leaf = writeLeaf(below, { extensions: [x.subjectAltNames([dns('foo.example.com')])] });
    return outcome(verify([leaf, below, upper, root]));
  };

  it('each issuer narrows, and none widens', () => {
    expect(path([permit('example.com')], [permit('foo.example.com')], [])).toBe('valid');
    expect(path([], [permit('foo.example.com', 'bar.example.com')], [permit('bar.example.com')])).toMatch(
      /^name-c.* 0$/,
    );
    expect(path([], [permit('bar.example.com')], [permit('foo.example.com', 'bar.example.com')])).toMatch(
      /^name-c.* 0$/,
    );
    expect(path([permit('bar.example.com')], [], [])).toBe('name-constraints at 0');
  });

  it('the names of intermediates count, unless they are self-issued', () => {
    const other = x.subjectAltNames([dns('other.example.org')]);
    expect(path([], [permit('example.com')], [other])).toBe('name-constraints at 1');
    expect(path([], [permit('example.com')], [other], 'upper')).toBe('valid');
  });

  it('the names of a self-issued leaf count', () => {
    const root = writeRoot({ extensions: [...issuerExtensions, permit('example.com')] });
    const intermediate = writeIntermediate(root);
    const extensions = [x.subjectAltNames([dns('example.org')])];
    const leaf = writeLeaf(intermediate, { subject: commonName('intermediate'), extensions });
    expect(outcome(verify([leaf, intermediate, root]))).toBe('name-constraints at 0');
  });

  it('constraints that are not critical apply, too', () => {
    const root = writeRoot({ extensions: [...issuerExtensions, x.nameConstraints({ permitted: [dns('a')] }, false)] });
    const leaf = (name: string) => writeLeaf(root, { extensions: [x.subjectAltNames([dns(name)])] });
    expect(outcome(verify([leaf('a'), root]))).toBe('valid');
    expect(outcome(verify([leaf('b'), root]))).toBe('name-constraints at 0');
  });
});
