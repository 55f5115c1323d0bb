import { BrokenRule } from './broken-rule.ts';
import type { Certificate } from './certificate.ts';
import { isSignedByOnce } from './kept-certificates.ts';
import type { PublicKey } from './public-key.ts';
import { checkDates, checkIssuer } from './role-rules.ts';
import { validatePath } from './validate-path.ts';

const maxSignatureChecks = 100;
/** In units of one check with P-256: a path of 8 intermediates with P-521 keys needs 99. */
const maxSignatureCost = 100;
/** Of names with constraints. */
const maxComparisons = 50_000;
/** Certificates that were tried as the issuer of another one. */
const maxSteps = 2_000;

export interface SearchOptions {
  readonly leaf: Certificate;
  readonly intermediates: readonly Certificate[];
  readonly anchors: readonly Certificate[];
  /** Seconds since 1970. */
  readonly at: number;
  readonly purpose: string | null;
  readonly maxDepth: number;
  readonly leafDates: 'checked' | 'ignored';
}

/** What went wrong with one of the paths. */
interface Failure {
  readonly broken: BrokenRule;
  readonly certificate: Certificate;
  /** The index of the certificate in the path. */
  readonly position: number;
  /** The higher, the nearer the path came to be valid. */
  readonly rank: number;
}

export type SearchResult = { readonly signatureChecks: number } & (
  | { readonly path: readonly Certificate[]; readonly failure?: undefined }
  | { readonly path?: undefined; readonly failure: Failure }
);

/** Ranks of failures at the same certificate. A path that has reached an anchor is above all that have not. */
const ranks = { unknownIssuer: 0, unsigned: 1, flawed: 2, issuer: 3, perCertificate: 4, complete: 1_000 };

/** Made once: the stack of an error takes more time than a short search. */
const noIssuer = new BrokenRule('unknown-issuer', 'no certificate of the issuer');

/**
 * Searches depth first for a valid path, from the leaf upwards. Key identifiers only decide what is tried first. A path never
 * has a name with the same key twice. This ends circles and loses nothing: such a path would also be valid without the part in
 * between.
 */
export function searchPath(options: SearchOptions): SearchResult {
  return new PathSearch(options).run();
}

class PathSearch {
  readonly #options: SearchOptions;
  readonly #checks = createChecks();
  readonly #issuersOf: ReturnType<typeof createIndex>;
  #failure: Failure;

  constructor(options: SearchOptions) {
    this.#options = options;
    this.#issuersOf = createIndex(options);
    this.#failure = { broken: noIssuer, certificate: options.leaf, position: 0, rank: -1 };
  }

  run(): SearchResult {
    const { leaf } = this.#options;
    try {
      const path = this.#extend([leaf]);
      return { ...(path ? { path } : { failure: this.#failure }), signatureChecks: this.#checks.signatures() };
    } catch (error) {
      if (!(error instanceof BrokenRule)) throw error;
      const tooMuch = { broken: error, certificate: leaf, position: 0, rank: 0 };
      return { failure: tooMuch, signatureChecks: this.#checks.signatures() };
    }
  }

  #extend(path: readonly Certificate[]): readonly Certificate[] | null {
    const position = path.length - 1;
    const child = path[position] ?? this.#options.leaf;
    const issuers = this.#issuersOf(child, path);
    if (issuers.length === 0) {
      const broken = new BrokenRule('unknown-issuer', `no certificate of the issuer ${child.issuer.text}`);
      this.#fail(broken, child, position, position * ranks.perCertificate + ranks.unknownIssuer);
    }
    for (const { issuer, isAnchor } of issuers) {
      this.#checks.step();
      if (!this.#isIssuer(issuer, { child, position, isAnchor })) continue;
      const longer = [...path, issuer];
      const found = isAnchor ? this.#validate(longer) : this.#extend(longer);
      if (found) return found;
    }
    return null;
  }

  /** Whether a certificate may stand above `child` in the path. */
  #isIssuer(issuer: Certificate, { child, position, isAnchor }: Step): boolean {
    const { maxDepth, at } = this.#options;
    const base = position * ranks.perCertificate;
    const fail = (broken: BrokenRule, rank: number) => this.#fail(broken, issuer, position + 1, base + rank);
    if (issuer.flaw || issuer.key === null) {
      if (issuer.flaw) fail(issuer.flaw, ranks.flawed);
      return false;
    }
    if (!isAnchor && !(position < maxDepth)) {
      fail(new BrokenRule('path-too-deep', `more than ${maxDepth} intermediates`), ranks.flawed);
      return false;
    }
    const unsigned = brokenBy(() => this.#checks.signature(child, issuer.spki, issuer.key));
    if (unsigned?.rule === 'weak-key') fail(unsigned, ranks.flawed);
    else if (unsigned) this.#fail(unsigned, child, position, base + ranks.unsigned);
    if (unsigned) return false;
    const unfit = brokenBy(() => {
      checkIssuer(issuer);
      checkDates(issuer, at);
    });
    if (unfit) fail(unfit, ranks.issuer);
    return !unfit;
  }

  /** Returns a path that has reached an anchor, if it is valid. */
  #validate(path: readonly Certificate[]): readonly Certificate[] | null {
    const invalid = validatePath(path, { ...this.#options, spendComparisons: this.#checks.comparisons });
    if (invalid === null) return path;
    const { broken, position } = invalid;
    this.#fail(broken, path[position] ?? this.#options.leaf, position, ranks.complete + path.length - 2);
    return null;
  }

  #fail(broken: BrokenRule, certificate: Certificate, position: number, rank: number): void {
    if (rank > this.#failure.rank) this.#failure = { broken, certificate, position, rank };
  }
}

/** One step of a search: the certificate whose issuer is tried. */
interface Step {
  readonly child: Certificate;
  readonly position: number;
  readonly isAnchor: boolean;
}

interface Candidate {
  readonly issuer: Certificate;
  readonly isAnchor: boolean;
}

/**
 * Returns the function that finds the certificates with the name of an issuer: anchors first, and in both kinds those
 * with the key identifier that the child names.
 */
function createIndex({ anchors, intermediates }: SearchOptions) {
  const byName = new Map<string, readonly Candidate[]>();
  const find = (name: string): readonly Candidate[] => {
    const named = (issuer: Certificate) => issuer.subject.key === name;
    return [
      ...anchors.filter(named).map((issuer) => ({ issuer, isAnchor: true })),
      ...intermediates.filter(named).map((issuer) => ({ issuer, isAnchor: false })),
    ];
  };
  return (child: Certificate, path: readonly Certificate[]): readonly Candidate[] => {
    const name = child.issuer.key;
    const candidates = byName.get(name) ?? find(name);
    byName.set(name, candidates);
    const order = ({ issuer, isAnchor }: Candidate) => {
      const { subjectKeyId } = issuer.extensions;
      const named = subjectKeyId !== undefined && subjectKeyId === child.extensions.authorityKeyId;
      return (isAnchor ? 0 : 2) + (named ? 0 : 1);
    };
    const isNew = ({ issuer }: Candidate) => {
      return !path.some(({ subject, spki }) => subject.key === issuer.subject.key && spki.equals(issuer.spki));
    };
    return candidates.filter(isNew).sort((one, other) => order(one) - order(other));
  };
}

/** Counts the work of one search. Each function throws when there was too much of it. */
function createChecks() {
  let signatures = 0;
  let cost = 0;
  let comparisons = 0;
  let steps = 0;
  const results = new Map<Certificate, Map<string, boolean>>();
  /** The first check with a key also makes it, which takes about one unit. */
  const loaded = new Set<string>();
  const limit = (within: boolean) => {
    if (!within) throw new BrokenRule('too-much-work', 'the search for a path was given up at its limits');
  };
  return {
    signatures: () => signatures,
    step() {
      steps += 1;
      limit(steps <= maxSteps);
    },
    comparisons(count: number) {
      comparisons += count;
      limit(comparisons <= maxComparisons);
    },
    /** @throws BrokenRule when the certificate is not signed with the key, or in a weak way; `weak-key`: it is no key */
    signature(child: Certificate, spki: Buffer, key: PublicKey | null) {
      const { algorithm } = child;
      if (algorithm === null) throw new BrokenRule('weak-signature', 'a signature that is weak or not supported');
      const known = results.get(child) ?? new Map<string, boolean>();
      results.set(child, known);
      const id = spki.toString('latin1');
      let signed = known.get(id);
      if (signed === undefined && key !== null) {
        signatures += 1;
        cost += key.cost + (loaded.has(id) ? 0 : 1);
        loaded.add(id);
        limit(signatures <= maxSignatureChecks && cost <= maxSignatureCost);
        signed = isSignedByOnce(child, algorithm, key);
        known.set(id, signed);
      }
      if (!signed) throw new BrokenRule('signature', 'not signed with the key of its issuer');
    },
  };
}

/** The rule that a check breaks, `null` for none. The end of all work is not one. */
function brokenBy(check: () => void): BrokenRule | null {
  try {
    check();
    return null;
  } catch (error) {
    if (!(error instanceof BrokenRule) || error.rule === 'too-much-work') throw error;
    return error;
  }
}
