import { BrokenRule } from './broken-rule.ts';
import type { Element } from './der.ts';
import { childrenOf, constructed, NotDer, sequenceOf, tags } from './der.ts';
import type { DistinguishedName } from './distinguished-name.ts';
import type { GeneralName, NameForm } from './general-name.ts';
import { readGeneralName } from './general-name.ts';
import type { HostConstraint, Mailbox } from './name-forms.ts';
import * as forms from './name-forms.ts';

/** The nameConstraints of one issuer, by form of name. */
export type NameConstraints = ReadonlyMap<NameForm, Subtrees>;

interface Subtrees {
  readonly permitted: Subtree[];
  readonly excluded: Subtree[];
}

type Subtree =
  | { readonly form: 'dns'; readonly value: string }
  | { readonly form: 'email' | 'uri'; readonly value: HostConstraint }
  | { readonly form: 'ip'; readonly value: Buffer }
  | { readonly form: 'directoryName'; readonly value: DistinguishedName }
  | { readonly form: 'unsupported' };

/** A name in a form that can be compared. */
type Comparable =
  | { readonly form: 'dns' | 'uri'; readonly value: string }
  | { readonly form: 'email'; readonly value: Mailbox }
  | { readonly form: 'ip'; readonly value: Buffer }
  | { readonly form: 'directoryName'; readonly value: DistinguishedName };

/** An internationalized address. Constraints on addresses apply to it (RFC 9598, section 6), and cannot be checked. */
const smtpUtf8Mailbox = '1.3.6.1.5.5.7.8.9';

/**
 * Reads nameConstraints (RFC 5280, section 4.2.1.10).
 *
 * @throws NotDer, also for a constraint that is none by the syntax of its form
 */
export function readNameConstraints(element: Element): NameConstraints {
  const constraints = new Map<NameForm, Subtrees>();
  const parts = sequenceOf(element);
  const lists = { permitted: parts.optional(constructed(0)), excluded: parts.optional(constructed(1)) };
  parts.end();
  for (const kind of ['permitted', 'excluded'] as const) {
    const list = lists[kind];
    const subtrees = list === null ? [] : childrenOf(list);
    if (list !== null && subtrees.length === 0) throw new NotDer('no subtree');
    for (const subtree of subtrees) {
      // The minimum is always 0, which is left out, and there is never a maximum.
      const [base, ...others] = subtree.tag === tags.sequence ? childrenOf(subtree) : [];
      if (base === undefined || others.length > 0) throw new NotDer('no subtree');
      const name = readGeneralName(base);
      const entry = constraints.get(name.form) ?? { permitted: [], excluded: [] };
      entry[kind].push(readSubtree(name));
      constraints.set(name.form, entry);
    }
  }
  if (constraints.size === 0) throw new NotDer('no constraint');
  return constraints;
}

function readSubtree(name: GeneralName): Subtree {
  switch (name.form) {
    case 'dns': {
      const value = name.value === '' ? '' : forms.readHost(name.value);
      if (value === null) throw new NotDer('a constraint on DNS names that is none');
      return { form: 'dns', value };
    }
    case 'email':
    case 'uri': {
      const value = (name.form === 'email' ? forms.readMailboxConstraint : forms.readHostConstraint)(name.value);
      if (value === null) throw new NotDer(`a constraint of the form ${name.form} that is none`);
      return { form: name.form, value };
    }
    case 'ip':
      if (!forms.isIpConstraint(name.value)) throw new NotDer('a constraint on IP addresses without address and mask');
      return { form: 'ip', value: name.value };
    case 'directoryName':
      return { form: 'directoryName', value: name.value };
    default:
      return { form: 'unsupported' };
  }
}

/**
 * Checks names against the constraints of all issuers above: each must permit a name, and none may exclude it
 * (RFC 5280, section 6.1.3 b and c). A form without constraints is free.
 *
 * @param spend gets how many comparisons follow, and throws when they are too many
 * @throws BrokenRule
 */
export function checkNames(
  names: readonly GeneralName[],
  layers: readonly NameConstraints[],
  spend: (comparisons: number) => void,
): void {
  if (layers.length === 0) return;
  const constrained = names
    .map((name) => ({ name, concerned: subtreesFor(name, layers) }))
    .filter(({ concerned }) => concerned.length > 0);
  for (const { concerned } of constrained) {
    for (const { permitted, excluded } of concerned) spend(1 + permitted.length + excluded.length);
  }
  for (const { name, concerned } of constrained) checkName(name, concerned);
}

function subtreesFor({ form, value }: GeneralName, layers: readonly NameConstraints[]): readonly Subtrees[] {
  const concerned = layers.flatMap((layer) => layer.get(form) ?? []);
  if (form !== 'otherName' || value !== smtpUtf8Mailbox) return concerned;
  return [...concerned, ...layers.flatMap((layer) => layer.get('email') ?? [])];
}

function checkName(name: GeneralName, concerned: readonly Subtrees[]): void {
  const comparable = toComparable(name);
  for (const { permitted, excluded } of concerned) {
    if (excluded.some((subtree) => mayContain(subtree, comparable))) {
      throw new BrokenRule('name-constraints', `a name of the form ${name.form} is in an excluded subtree`);
    }
    if (permitted.length > 0 && !permitted.some((subtree) => contains(subtree, comparable))) {
      throw new BrokenRule('name-constraints', `a name of the form ${name.form} is in no permitted subtree`);
    }
  }
}

function toComparable(name: GeneralName): Comparable {
  switch (name.form) {
    case 'dns':
      return { form: 'dns', value: syntactic(name, forms.readDnsName(name.value)) };
    case 'uri':
      return { form: 'uri', value: syntactic(name, forms.readUriHost(name.value)) };
    case 'email':
      return { form: 'email', value: syntactic(name, forms.readMailbox(name.value)) };
    case 'ip':
    case 'directoryName':
      return name;
    default:
      throw new BrokenRule('unsupported-name-constraint', `names of the form ${name.form} are constrained`);
  }
}

function syntactic<Value>({ form }: GeneralName, value: Value | null): Value {
  if (value === null) throw new BrokenRule('name-constraints', `a name of the form ${form} that cannot be compared`);
  return value;
}

function contains(subtree: Subtree, name: Comparable): boolean {
  if (subtree.form === 'dns' && name.form === 'dns') return forms.isDnsWithin(name.value, subtree.value);
  if (subtree.form === 'uri' && name.form === 'uri') return forms.isHostWithin(name.value, subtree.value);
  if (subtree.form === 'email' && name.form === 'email') return forms.isMailboxWithin(name.value, subtree.value);
  if (subtree.form === 'ip' && name.form === 'ip') return forms.isIpWithin(name.value, subtree.value);
  if (subtree.form !== 'directoryName' || name.form !== 'directoryName') return false;
  return forms.isDirectoryNameWithin(name.value, subtree.value);
}

/** A wildcard that stands for one excluded name is excluded. */
function mayContain(subtree: Subtree, name: Comparable): boolean {
  if (subtree.form === 'dns' && name.form === 'dns') return forms.mayDnsBeWithin(name.value, subtree.value);
  return contains(subtree, name);
}
