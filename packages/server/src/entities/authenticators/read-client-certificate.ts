import { X509Certificate } from 'node:crypto';
import { verifyChain } from '@edge-controller/certificate-path';
import { ApiError } from '../../core/api-error.ts';
import type { CertificatePrints } from '../../pki/certificate-prints.ts';
import { printsOf } from '../../pki/certificate-prints.ts';
import { firstCertificateOf, readPem } from '../../pki/pem.ts';
import type { SessionCall } from '../dependencies.ts';

/**
 * Reads the client certificate that an administrator gives an identity. The network or a verified CA must have issued it, for
 * any purpose. It is verified as of its `notBefore`, so it may have expired or not be valid yet.
 *
 * @throws 400 `COULD_NOT_PARSE_PEM_BLOCK` when the text is not exactly one certificate, 400
 *   `CERTIFICATE_FAILED_VALIDATION` with the broken rule as its reason
 */
export async function readClientCertificate(call: SessionCall, certPem: string): Promise<CertificatePrints> {
  const { leaf, notBefore } = readOne(certPem);
  const cas = await call.database.db.selectFrom('cas').select('certPem').where('isVerified', '=', 1).execute();
  const { roots, intermediates } = call.pki.anchors;
  const chain = verifyChain({
    leaf,
    bag: [],
    anchors: [...roots, ...intermediates, ...cas.map((ca) => firstCertificateOf(ca.certPem))],
    at: notBefore,
    requiredExtendedKeyUsage: null,
  });
  if (!chain.valid) {
    const reason = `did not verify against known CAs: ${chain.rule}`;
    throw new ApiError('CERTIFICATE_FAILED_VALIDATION', { cause: { field: 'certPem', reason } });
  }
  return printsOf(chain.leaf);
}

function readOne(certPem: string): { readonly leaf: Buffer; readonly notBefore: number } {
  const [block, ...others] = readPem(certPem);
  try {
    if (block?.label !== 'CERTIFICATE' || others.length > 0) throw new Error('not one certificate');
    return { leaf: block.bytes, notBefore: new X509Certificate(block.bytes).validFromDate.getTime() };
  } catch {
    const cause = { code: 'UNHANDLED', message: 'client pem must be exactly one certificate' };
    throw new ApiError('COULD_NOT_PARSE_PEM_BLOCK', { cause });
  }
}
