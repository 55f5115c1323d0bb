import type { ChainRule } from './broken-rule.ts';
import { BrokenRule } from './broken-rule.ts';
import type { Certificate } from './certificate.ts';
import { readCertificate } from './certificate.ts';
import { readOnce } from './kept-certificates.ts';
import { searchPath } from './search-path.ts';

/** The purposes of extKeyUsage that a caller may require (RFC 5280, section 4.2.1.12). */
export const extendedKeyUsages = { serverAuth: '1.3.6.1.5.5.7.3.1', clientAuth: '1.3.6.1.5.5.7.3.2' } as const;

/** Certificates that a client may send, with the leaf. Copies count once. */
const maxCertificates = 10;
/** Bytes of all certificates that a client may send. */
const maxTotalSize = 65_536;
/** Intermediates of a path. */
const maxPathDepth = 8;

/** What `verifyChain` checks. */
export interface ChainOptions {
  /** DER of the certificate that names its owner. */
  readonly leaf: Buffer;
  /** DER of whatever else was sent, in any order. Certificates that belong to no path do no harm. */
  readonly bag: readonly Buffer[];
  /**
   * DER of the certificates that are trusted to issue: roots or intermediates. An anchor is read once for as long as its
   * buffer exists, so nobody may write to it.
   */
  readonly anchors: readonly Buffer[];
  /**
   * DER of certificates that are sent often, such as the own intermediates. They are not trusted, and they count only when they
   * are in `bag`, or are the very buffer of `leaf`. Like an anchor, such a certificate is read once for as long as its buffer
   * exists, and a signature that was checked is not checked again.
   */
  readonly oftenSent?: readonly Buffer[];
  /** Milliseconds since 1970. Certificates have dates in whole seconds, so parts of a second do not count. */
  readonly at: number;
  /** An object identifier that `extKeyUsage` must have, wherever a certificate has it. `null`: any purpose. */
  readonly requiredExtendedKeyUsage: string | null;
  /** The number of intermediates between leaf and anchor. Default and maximum: 8. */
  readonly maxDepth?: number;
  /** `ignored`: the leaf may be expired or not yet valid. Its issuers may never. Default: `checked`. */
  readonly leafDates?: 'checked' | 'ignored';
}

/** What callers need of the leaf. */
export type Leaf = Pick<Certificate, 'der' | 'spki' | 'subject' | 'notBefore' | 'notAfter'>;

/** A chain that is valid. */
export interface ValidChain {
  readonly valid: true;
  /** From the leaf to the anchor. The last one is the very buffer in `anchors`. */
  readonly path: readonly Buffer[];
  /** What the leaf says. */
  readonly leaf: Leaf;
  /** False only with `leafDates: 'ignored'`. */
  readonly leafInDates: boolean;
  readonly signatureChecks: number;
}

/** The rule that was broken by the path that came nearest to an anchor. It is for the log, not for the client. */
export interface InvalidChain {
  readonly valid: false;
  readonly rule: ChainRule;
  readonly message: string;
  /** DER of the certificate that breaks the rule. */
  readonly certificate: Buffer;
  /** Its subject, such as `CN=device 7, O=Example`; empty when it could not be read. */
  readonly subject: string;
  /** Its index in that path, 0 is the leaf; `null` for one that is in no path because it could not be read. */
  readonly position: number | null;
  readonly signatureChecks: number;
}

/**
 * Finds a path from the leaf to one of the anchors that is valid by RFC 5280, section 6, and the rules in `chainRules`. The
 * result depends only on the options, not on the order of `bag`. A bad certificate never makes it throw. The work is bounded:
 * at most 100 signatures are checked, fewer when the keys are slow.
 *
 * An anchor is a certificate like the others: its dates and its restrictions apply, only its own signature is not checked.
 * A leaf that is an anchor itself is not valid: whoever pins a certificate compares its bytes.
 *
 * It reads no revocation lists and checks no host name. It accepts any certificate policies unless a certificate of the path
 * requires one.
 *
 * @example
 * const result = verifyChain({
 *   leaf,
 *   bag: [intermediate],
 *   anchors: [root],
 *   at: Date.now(),
 *   requiredExtendedKeyUsage: extendedKeyUsages.clientAuth,
 * });
 * if (!result.valid) console.log(`${result.subject} breaks the rule ${result.rule}: ${result.message}`);
 */
export function verifyChain(options: ChainOptions): ValidChain | InvalidChain {
  const { leaf } = options;
  let read: Certificate;
  let sent: SentCertificates;
  try {
    read = (options.oftenSent?.includes(leaf) && readOnce(leaf)) || readCertificate(leaf);
    if (read.flaw) throw read.flaw;
    sent = readBag(options);
  } catch (error) {
    if (!(error instanceof BrokenRule)) throw error;
    return invalid(error, { certificate: leaf, subject: subjectOf(leaf), position: 0, signatureChecks: 0 });
  }
  const at = Math.floor(options.at / 1000);
  const found = searchPath({
    leaf: read,
    intermediates: sent.intermediates,
    anchors: options.anchors.flatMap((der) => readOnce(der) ?? []),
    at,
    purpose: options.requiredExtendedKeyUsage,
    maxDepth: Math.min(options.maxDepth ?? maxPathDepth, maxPathDepth),
    leafDates: options.leafDates ?? 'checked',
  });
  const { signatureChecks } = found;
  if (found.path) {
    const { der, spki, subject, notBefore, notAfter } = read;
    const leafInDates = notBefore <= at && at <= notAfter;
    const path = found.path.map((certificate) => certificate.der);
    return { valid: true, path, leaf: { der, spki, subject, notBefore, notAfter }, leafInDates, signatureChecks };
  }
  const { broken, certificate, position } = found.failure;
  const [unread] = sent.unreadable;
  if (broken.rule === 'unknown-issuer' && unread) {
    return invalid(unread.broken, { certificate: unread.der, subject: '', position: null, signatureChecks });
  }
  return invalid(broken, {
    certificate: certificate.der,
    subject: certificate.subject.text,
    position,
    signatureChecks,
  });
}

interface SentCertificates {
  readonly intermediates: readonly Certificate[];
  readonly unreadable: readonly { readonly der: Buffer; readonly broken: BrokenRule }[];
}

/** The order of bytes instead of the order that the client chose makes the result independent of it. */
function readBag({ leaf, bag, anchors, oftenSent = [] }: ChainOptions): SentCertificates {
  const size = bag.reduce((sum, der) => sum + der.length, leaf.length);
  if (size > maxTotalSize) throw new BrokenRule('too-large', `certificates of ${size} bytes`);
  const distinct = new Map(bag.map((der) => [der.toString('latin1'), der]));
  distinct.delete(leaf.toString('latin1'));
  if (distinct.size >= maxCertificates) {
    throw new BrokenRule('too-many-certificates', `${distinct.size + 1} certificates`);
  }
  const intermediates: Certificate[] = [];
  const unreadable: { der: Buffer; broken: BrokenRule }[] = [];
  const below = [...distinct.values()].filter((der) => !anchors.some((anchor) => anchor.equals(der)));
  for (const der of below.sort(Buffer.compare)) {
    try {
      const often = oftenSent.find((known) => known.equals(der));
      intermediates.push((often && readOnce(often)) ?? readCertificate(der));
    } catch (error) {
      if (!(error instanceof BrokenRule)) throw error;
      unreadable.push({ der, broken: error });
    }
  }
  return { intermediates, unreadable };
}

function subjectOf(der: Buffer): string {
  try {
    return readCertificate(der).subject.text;
  } catch {
    return '';
  }
}

function invalid(broken: BrokenRule, where: Omit<InvalidChain, 'valid' | 'rule' | 'message'>): InvalidChain {
  return { valid: false, rule: broken.rule, message: broken.message, ...where };
}
