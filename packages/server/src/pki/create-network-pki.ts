import { X509Certificate } from 'node:crypto';
import { extendedKeyUsages, readCertificate, verifyChain } from '@edge-controller/certificate-path';
import { caCertificates } from './ca-bundle.ts';
import { printsOf } from './certificate-prints.ts';
import type { IssuingCa } from './certificates.ts';
import { namesOf } from './check-server.ts';
import type { NetworkPki, SignedCertificate } from './network-pki.ts';
import { firstCertificateOf, pemOf } from './pem.ts';
import type { LivePki, Pki } from './pki.ts';
import { refused } from './read-csr.ts';

/**
 * A view of a PKI for handlers. It shows what is current.
 *
 * @param host returns the host at which clients reach the controller, when the server certificate may not name it
 */
export function createNetworkPki(pki: Pick<LivePki, 'current'>, host?: () => string): NetworkPki {
  return {
    get trustDomain() {
      return pki.current.trustDomain;
    },
    get caPem() {
      return pemOf(caCertificates(pki.current));
    },
    get anchors() {
      const { roots, intermediates } = pki.current;
      return { roots, intermediates };
    },
    issueClientCertificate: (request) =>
      issue(pki.current, { ...request, usage: 'client' }, async (issuer, reserved) => {
        const { issueClient } = await import('./certificates.ts');
        return issueClient(issuer, request, reserved);
      }),
    issueRouterCertificate: (request) =>
      issue(pki.current, request, async (issuer, reserved) => {
        const { issueRouter } = await import('./certificates.ts');
        return issueRouter(issuer, request, { keys: reserved, names: ownNames(pki.current, host) });
      }),
  };
}

/** The names of the controller. */
function ownNames({ serverPath: [certificate = ''] }: Pki, host?: () => string): string[] {
  const names = namesOf(readCertificate(firstCertificateOf(certificate)));
  return host ? [...names, host()] : names;
}

interface Request {
  readonly usage: 'client' | 'server';
  /** Milliseconds since 1970. */
  readonly notBefore: number;
}

const usages = { client: extendedKeyUsages.clientAuth, server: extendedKeyUsages.serverAuth };

async function issue(
  pki: Pki,
  { usage, notBefore }: Request,
  issuePem: (issuer: IssuingCa, reserved: readonly Buffer[]) => Promise<string>,
): Promise<SignedCertificate> {
  const { signingPath, signingKeyPem, roots, endsAt } = pki;
  const [certificate] = signingPath;
  if (!certificate || endsAt <= notBefore) throw new Error('the CA certificates of the network have expired');
  const certPem = await issuePem({ certificate, keyPem: signingKeyPem, endsAt }, pki.reservedKeys);
  const issued = new X509Certificate(certPem);
  // An operator's CA may forbid names or usages.
  const verified = verifyChain({
    leaf: issued.raw,
    bag: signingPath.slice(0, -1),
    anchors: roots,
    at: issued.validToDate.getTime(),
    requiredExtendedKeyUsage: usages[usage],
  });
  if (!verified.valid) throw refused(`a certificate for this CSR would not be valid: ${verified.message}`);
  return {
    certPem,
    chainPem: pemOf(verified.path.slice(0, -1)),
    ...printsOf(verified.leaf),
  };
}
