import { ApiError } from '../../../core/api-error.ts';
import { verifyUnderCas } from '../../../credentials/certificates/verify-under-cas.ts';
import { addCertificateAuthenticator } from '../../../entities/authenticators/add-certificate-authenticator.ts';
import type { Tables } from '../../../storage/entity-store/entity-store.ts';
import { lockCa } from '../../../storage/entity-store/locks/lock-ca.ts';
import { certificateInUse } from '../certificate-in-use.ts';
import type { EnrollmentMethodHandler } from '../method.ts';

/**
 * Takes the client certificate of the connection, which the CA of the enrollment has issued. As on the wire, the CA need
 * not be verified; the certificate signs in only when it is.
 */
export const ottca: EnrollmentMethodHandler = async (call, { ownerId: identityId, caId }) => {
  const { db } = call.database;
  const ca = requireEnabled(
    await db
      .selectFrom('cas')
      .selectAll()
      .where('id', '=', caId ?? '')
      .executeTakeFirst(),
  );
  const verified = await verifyUnderCas(call, [ca]);
  if (!verified) throw new ApiError('CERTIFICATE_FAILED_VALIDATION');
  return async (unit) => {
    requireEnabled(await lockCa(call.database, unit.tx, ca.id));
    await addCertificateAuthenticator(unit, { ...verified, identityId, isIssuedByNetwork: false }).catch(
      certificateInUse({ data: { fingerprint: verified.fingerprint } }),
    );
    return {};
  };
};

/** The deletion of a CA also deletes its enrollments. */
function requireEnabled(ca: Tables['cas'] | null | undefined): Tables['cas'] {
  if (!ca) throw new ApiError('INVALID_ENROLLMENT_TOKEN');
  if (ca.isOttCaEnrollmentEnabled !== 1) throw new ApiError('ENROLLMENT_CA_NOT_VALID');
  return ca;
}
