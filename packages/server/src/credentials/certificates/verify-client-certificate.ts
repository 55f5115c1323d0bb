import type { ChainRule, InvalidChain, Leaf, ValidChain } from '@edge-controller/certificate-path';
import { extendedKeyUsages, readCertificate, verifyChain } from '@edge-controller/certificate-path';
import { RecentlyUsed } from '../../core/cache/recently-used.ts';
import type { Clock } from '../../core/time/clock.ts';
import type { CertificatePrints } from '../../pki/certificate-prints.ts';
import { printsOf } from '../../pki/certificate-prints.ts';
import type { NetworkPki } from '../../pki/network-pki.ts';
import { firstCertificateOf, pemOf } from '../../pki/pem.ts';
import type { Tables } from '../../storage/entity-store/entity-store.ts';

export type CaRow = Tables['cas'];
type WithCertificate = Pick<CaRow, 'certPem'>;

/** The leaf of a TLS connection, whose chain is valid. Only the leaf identifies somebody. */
export interface ClientCertificate extends CertificatePrints {
  readonly der: Buffer;
  /** What `der` says. */
  readonly read: Leaf;
  /** PEM of this certificate alone. */
  readonly certPem: string;
  /** Whether the certificate is valid at the present time. */
  readonly dates: 'current' | 'expired' | 'not-yet-valid';
}

/** Who has issued a client certificate. `isForeign`: a CA below a root of the network that is not a CA of the network. */
export type Issuer<Ca> =
  | { readonly kind: 'network'; readonly resolvesToRoot: boolean; readonly isForeign: boolean }
  | { readonly kind: 'ca'; readonly ca: Ca };

export interface VerifiedClient<Ca> {
  readonly certificate: ClientCertificate;
  readonly issuer: Issuer<Ca>;
}

/** `reason`: which certificate breaks which rule, for the log. It has no text of the client. */
type Verification<Ca> =
  | { readonly client: VerifiedClient<Ca> }
  | { readonly client: null; readonly rule: ChainRule; readonly reason: string };

/** What the verification of certificates needs. */
export interface Dependencies {
  readonly pki: Pick<NetworkPki, 'anchors'>;
  readonly clock: Clock;
}

/**
 * Verifies the certificates of a connection against the roots of the network, then also against the intermediates that the
 * network knows: the client may have sent none, or one that was renewed since. The dates of the leaf are not checked.
 */
export function verifyByNetwork(dependencies: Dependencies, certificates: readonly Buffer[]): Verification<never> {
  const { roots, intermediates } = dependencies.pki.anchors;
  const toRoot = verify(dependencies, certificates, roots);
  if (toRoot.valid) return found(dependencies, toRoot, ofNetwork(dependencies, toRoot, true));
  // Only a hostile client sends what takes so much work. It does not get a second search.
  if (toRoot.rule === 'too-much-work') return refused([toRoot]);
  const toIntermediate = verify(dependencies, certificates, [...roots, ...intermediates]);
  if (toIntermediate.valid) return found(dependencies, toIntermediate, ofNetwork(dependencies, toIntermediate, false));
  return refused([toIntermediate, toRoot]);
}

function ofNetwork({ pki }: Dependencies, { path }: ValidChain, resolvesToRoot: boolean): Issuer<never> {
  const { roots, intermediates } = pki.anchors;
  const own = [...roots, ...intermediates];
  // A former certificate of a CA that was renewed has the same key.
  const isOwn = (ca: Buffer) =>
    own.some((known) => known.equals(ca)) ||
    own.some((known) => readCertificate(known).spki.equals(readCertificate(ca).spki));
  return { kind: 'network', resolvesToRoot, isForeign: !path.slice(1).every(isOwn) };
}

/** Verifies the certificates of a connection against third-party CAs. The dates of the leaf are not checked. */
export function verifyByCas<Ca extends WithCertificate>(
  dependencies: Dependencies,
  certificates: readonly Buffer[],
  cas: readonly Ca[],
): Verification<Ca> {
  const anchors = cas.map(anchorOf);
  const chain = verify(dependencies, certificates, anchors);
  if (!chain.valid) return refused([chain]);
  const anchor = chain.path.at(-1);
  const ca = anchor && cas[anchors.indexOf(anchor)];
  if (!ca) throw new Error('a valid path ends at an anchor');
  return found(dependencies, chain, { kind: 'ca', ca });
}

/** Leaves whose chain was valid, by their bytes: a device signs in again and again. One takes about 5 KB. */
const validLeaves = new RecentlyUsed<Buffer>(1_000);

function verify(
  { clock, pki }: Dependencies,
  [leaf = Buffer.alloc(0), ...bag]: readonly Buffer[],
  anchors: readonly Buffer[],
) {
  const bytes = leaf.toString('latin1');
  const known = validLeaves.get(bytes);
  const { intermediates } = pki.anchors;
  const result = verifyChain({
    leaf: known ?? leaf,
    bag,
    anchors,
    oftenSent: known ? [known, ...intermediates] : intermediates,
    at: clock(),
    requiredExtendedKeyUsage: extendedKeyUsages.clientAuth,
    leafDates: 'ignored',
  });
  if (result.valid && !known) validLeaves.set(bytes, leaf);
  return result;
}

/** `verifyChain` reads an anchor once for as long as its buffer exists. */
const anchorsByCa = new WeakMap<WithCertificate, Buffer>();

/** The first certificate of a CA, in DER. */
function anchorOf(ca: WithCertificate): Buffer {
  const known = anchorsByCa.get(ca);
  if (known) return known;
  const anchor = firstCertificateOf(ca.certPem);
  anchorsByCa.set(ca, anchor);
  return anchor;
}

function found<Ca>({ clock }: Dependencies, { leaf, leafInDates }: ValidChain, issuer: Issuer<Ca>): Verification<Ca> {
  const { der, notBefore } = leaf;
  const outside = clock() < notBefore * 1000 ? 'not-yet-valid' : 'expired';
  const certificate: ClientCertificate = {
    der,
    read: leaf,
    certPem: pemOf([der]),
    ...printsOf(leaf),
    dates: leafInDates ? 'current' : outside,
  };
  return { client: { certificate, issuer } };
}

/** Reports the rule of the search that came nearest to an anchor. */
function refused([first, ...others]: readonly [InvalidChain, ...InvalidChain[]]): Verification<never> {
  const nearest = [first, ...others].find(({ rule }) => rule !== 'unknown-issuer') ?? first;
  const { rule, position } = nearest;
  const where = position === null ? 'a certificate' : position === 0 ? 'the leaf' : `issuer ${position}`;
  return { client: null, rule, reason: `${where} breaks the rule ${rule}` };
}
