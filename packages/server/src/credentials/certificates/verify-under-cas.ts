import { verifyChain } from '@edge-controller/certificate-path';
import type { CallWith } from '../../core/call.ts';
import { firstCertificateOf } from '../../pki/pem.ts';
import type { CaRow, ClientCertificate, Dependencies } from './verify-client-certificate.ts';
import { verifyByCas } from './verify-client-certificate.ts';
import { verifyPresented } from './verify-presented.ts';

/** The leaf of a TLS connection, and the CA below which its chain is valid. */
export interface CertificateOfCa<Ca> extends ClientCertificate {
  readonly ca: Ca;
}

/**
 * Verifies the certificates of a connection against the given CAs alone. The leaf must be valid now. Returns the leaf, or
 * `null` when no chain is valid.
 */
export async function verifyUnderCas<Ca extends Pick<CaRow, 'certPem'>>(
  call: Pick<CallWith<Dependencies>, 'pki' | 'clock' | 'credentials'>,
  cas: readonly Ca[],
): Promise<CertificateOfCa<Ca> | null> {
  const { client } = await verifyPresented(call.credentials, {
    verify: (certificates) => verifyByCas(call, certificates, cas),
  });
  if (client?.issuer.kind !== 'ca' || client.certificate.dates !== 'current') return null;
  const { certificate, issuer } = client;
  return { ...certificate, ca: issuer.ca };
}

/** The CA that has issued a certificate itself, whatever the certificate is for, and also when it has expired. */
export function issuingCa<Ca extends Pick<CaRow, 'certPem'>>(
  { clock }: Pick<Dependencies, 'clock'>,
  leaf: Buffer,
  cas: readonly Ca[],
): Ca | null {
  const anchors = cas.map(({ certPem }) => firstCertificateOf(certPem));
  const chain = verifyChain({
    ...{ leaf, bag: [], anchors, at: clock() },
    ...{ requiredExtendedKeyUsage: null, leafDates: 'ignored' },
  });
  return chain.valid ? (cas.find((_, at) => anchors[at] === chain.path.at(-1)) ?? null) : null;
}
