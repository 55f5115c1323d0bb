import type { ExtendRouterRequest, ExtendRouterVerifyRequest } from '@edge-controller/router-messages';
import { ExtendRouterErrorSchema, ExtendRouterResponseSchema, encode } from '@edge-controller/router-messages';
import { controlTypes } from '@edge-controller/shared-types/channel';
import { ApiError } from '../../core/api-error.ts';
import { inUnitOfWork } from '../../crud/unit-of-work.ts';
import { setFields } from '../../crud/write.ts';
import { fingerprintOf } from '../../pki/certificate-prints.ts';
import { firstCertificateOf } from '../../pki/pem.ts';
import { issueRouterCertificates } from '../../sign-in/enrollment/issue-router-certificates.ts';
import type { EntityState } from '../../storage/entity-store/state.ts';
import type { FieldsOf } from '../../storage/entity-store/tables.ts';
import type { MessageHandler, RouterCall } from '../dependencies.ts';

/** Issues new certificates for a router. Until it has confirmed them, the old ones count. */
export const extendRouter: MessageHandler<ExtendRouterRequest> = async (call, request) => {
  const { router, log, renewals } = call;
  if (!renewals.begin(router.id)) return;
  const csrs = { certCsr: request.clientCertCsr, serverCertCsr: request.serverCertCsr };
  try {
    const { certificates, verified } = await issueRouterCertificates(call, router.id, csrs);
    const { cert: clientCertPem, serverCert: serverCertPem, ca: caCertsPem } = certificates;
    const unverified = { unverifiedFingerprint: verified.fingerprint, unverifiedCertPem: clientCertPem };
    await setCertificates(call, () => unverified);
    const body = encode(ExtendRouterResponseSchema, { clientCertPem, serverCertPem, caCertsPem });
    router.send({ type: controlTypes.extendRouterResponse, body });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    // There is no answer for it: the router asks again later.
    log.warn({ err: error, router: router.id }, 'the certificates of a router cannot be renewed');
  }
};

/** The router has its new certificates: from now on they count, and the old ones do not. It may say so again. */
export const extendRouterVerify: MessageHandler<ExtendRouterVerifyRequest> = async (call, { clientCertPem }) => {
  const { router, frame } = call;
  const print = printOf(clientCertPem);
  const answer = (error: { readonly code: string; readonly message: string }) =>
    router.reply(frame, { type: controlTypes.error, body: encode(ExtendRouterErrorSchema, error) });
  const former = router.fingerprint;
  try {
    await setCertificates(call, ({ fingerprint, unverifiedFingerprint }) => {
      if (print === fingerprint) return {};
      if (print === null || print !== unverifiedFingerprint || fingerprint !== former)
        throw new ApiError('UNAUTHORIZED');
      // Before the change of the entity is known, which would end this connection.
      router.fingerprint = print;
      return { isVerified: true, fingerprint: print, unverifiedFingerprint: null, unverifiedCertPem: null };
    });
    answer({ code: '', message: '' });
  } catch (error) {
    router.fingerprint = former;
    if (!(error instanceof ApiError)) throw error;
    answer({ code: 'INVALID_CLIENT_CERT', message: 'it is not the certificate that was issued last' });
  }
};

type Certificates = Pick<
  EntityState<FieldsOf<'transitRouters'>>,
  'isVerified' | 'fingerprint' | 'unverifiedFingerprint' | 'unverifiedCertPem'
>;

/** Changes what is known of the certificates of the router. */
async function setCertificates(
  call: RouterCall,
  change: (current: Certificates) => Partial<Certificates>,
): Promise<void> {
  const { id } = call.router;
  await inUnitOfWork(
    call,
    async (unit) => {
      // Every edge router is among the transit routers, too.
      const edgeRouter = await unit.tx.selectFrom('edgeRouters').select('id').where('id', '=', id).executeTakeFirst();
      if (!edgeRouter) await setFields(unit, 'transitRouters', id, change);
      else
        await setFields(unit, 'edgeRouters', id, (current) => {
          const next = change(current);
          return { ...next, ...(next.fingerprint && { certPem: current.unverifiedCertPem }) };
        });
    },
    { isOwn: true },
  );
}

function printOf(pem: string): string | null {
  try {
    return fingerprintOf(firstCertificateOf(pem));
  } catch {
    return null;
  }
}
