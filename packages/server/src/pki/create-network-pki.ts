import { X509Certificate } from 'node:crypto';
import { caCertificates } from './ca-bundle.ts';
import { printsOf } from './certificate-prints.ts';
import type { ClientCertificateRequest, IssuedClientCertificate, NetworkPki } from './network-pki.ts';
import { extendedKeyUsages, verifyChain } from './path/verify-chain.ts';
import { pemOf } from './pem.ts';
import type { LivePki, Pki } from './pki.ts';
import { refused } from './read-csr.ts';

/** A view of a PKI for handlers. It shows what is current. */
export function createNetworkPki(pki: Pick<LivePki, 'current'>): NetworkPki {
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
    issueClientCertificate: (request) => issueFor(request, pki.current),
  };
}

async function issueFor(request: ClientCertificateRequest, pki: Pki): Promise<IssuedClientCertificate> {
  const { signingPath, signingKeyPem, roots, endsAt } = pki;
  const [certificate] = signingPath;
  if (!certificate || endsAt <= request.notBefore) throw new Error('the CA certificates of the network have expired');
  const { issueClient } = await import('./certificates.ts');
  const certPem = await issueClient({ certificate, keyPem: signingKeyPem, endsAt }, request, pki.reservedKeys);
  const issued = new X509Certificate(certPem);
  // An operator's CA may forbid names or usages.
  const verified = verifyChain({
    leaf: issued.raw,
    bag: signingPath.slice(0, -1),
    anchors: roots,
    at: issued.validToDate.getTime(),
    requiredExtendedKeyUsage: extendedKeyUsages.clientAuth,
  });
  if (!verified.valid) throw refused(`a certificate for this CSR would not be valid: ${verified.message}`);
  return {
    certPem,
    chainPem: pemOf(verified.path.slice(0, -1)),
    ...printsOf(verified.leaf),
  };
}
