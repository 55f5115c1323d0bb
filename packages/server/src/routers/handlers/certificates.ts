import { controlTypes } from '@edge-controller/shared-types/channel';
import { ApiError } from '../../api-error.ts';
import { inUnitOfWork } from '../../crud/unit-of-work.ts';
import { setFields } from '../../crud/write.ts';
import { issueRouterCertificates } from '../../enrollment/issue-router-certificates.ts';
import { fingerprintOf } from '../../pki/certificate-prints.ts';
import { firstCertificateOf } from '../../pki/pem.ts';
import { decode, encode } from '../../router-messages/codec.ts';
import {
  ExtendRouterErrorSchema,
  ExtendRouterRequestSchema,
  ExtendRouterResponseSchema,
  ExtendRouterVerifyRequestSchema,
} from '../../router-messages/generated/router_pb.js';
import type { RouterHandler } from '../services.ts';

/** Milliseconds between two renewals: certificates are costly, and a router that gets no answer asks again after 35 seconds. */
const minInterval = 1_000;

/** Issues new certificates for a router. Until it has confirmed them, the old ones count. */
export const extendRouter: RouterHandler = async (call) => {
  const { router, frame, log } = call;
  if (!router.mayExtend(minInterval)) return;
  const request = decode(ExtendRouterRequestSchema, frame.body);
  const csrs = { certCsr: request.clientCertCsr, serverCertCsr: request.serverCertCsr };
  try {
    const { certificates, verified } = await issueRouterCertificates(call, router.id, csrs);
    router.pending = { certPem: certificates.cert, fingerprint: verified.fingerprint };
    const { cert: clientCertPem, serverCert: serverCertPem, ca: caCertsPem } = certificates;
    const body = encode(ExtendRouterResponseSchema, { clientCertPem, serverCertPem, caCertsPem });
    router.send({ type: controlTypes.extendRouterResponse, body });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // There is no answer for it: the router asks again later.
    log.warn({ err: error, router: router.id }, 'the certificates of a router cannot be renewed');
  }
};

/** The router has stored its new certificates: from now on they count, and the old ones do not. */
export const extendRouterVerify: RouterHandler = async (call) => {
  const { router, frame } = call;
  const { clientCertPem } = decode(ExtendRouterVerifyRequestSchema, frame.body);
  const { pending } = router;
  const answer = (error: { readonly code: string; readonly message: string }) =>
    router.reply(frame, { type: controlTypes.error, body: encode(ExtendRouterErrorSchema, error) });
  if (pending === null || printOf(clientCertPem) !== pending.fingerprint) {
    answer({ code: 'INVALID_CLIENT_CERT', message: 'it is not the certificate that was issued last' });
    return;
  }
  const { certPem, fingerprint } = pending;
  const former = router.fingerprint;
  // First, so that the change of the entity does not end this connection.
  router.fingerprint = fingerprint;
  await inUnitOfWork(
    call,
    (unit) =>
      setFields(unit, 'edgeRouters', router.id, (current) => {
        if (current.fingerprint !== former) throw new ApiError('UNAUTHORIZED');
        return { isVerified: true, fingerprint, certPem };
      }),
    { isOwn: true },
  );
  router.pending = null;
  answer({ code: '', message: '' });
};

function printOf(pem: string): string | null {
  try {
    return fingerprintOf(firstCertificateOf(pem));
  } catch {
    return null;
  }
}
