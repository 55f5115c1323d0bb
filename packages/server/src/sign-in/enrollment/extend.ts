import { readCertificate } from '@edge-controller/certificate-path';
import type { clientApi } from '@edge-controller/shared-types';
import { ApiError } from '../../core/api-error.ts';
import { replaceSessionCertificate } from '../../credentials/certificates/session-certificate.ts';
import { verifyByNetwork } from '../../credentials/certificates/verify-client-certificate.ts';
import { verifyPresented } from '../../credentials/certificates/verify-presented.ts';
import { inUnitOfWork } from '../../crud/unit-of-work.ts';
import { setFields } from '../../crud/write.ts';
import { fingerprintOf, printsOf } from '../../pki/certificate-prints.ts';
import { firstCertificateOf } from '../../pki/pem.ts';
import type { Tables } from '../../storage/entity-store/entity-store.ts';
import type { Handlers, SessionCall } from './dependencies.ts';
import { issueIdentityCertificate } from './issue-identity-certificate.ts';

type OwnAuthenticators = Handlers<typeof clientApi>['currentIdentityAuthenticators'];
type Authenticator = Tables['authenticators'];

/**
 * Replaces the certificate of an authenticator by a newer one in two steps. `extend` issues it. Until `extendVerify` only
 * the old one signs in, so a client that could not store the new one has lost nothing.
 */
export const extension: Pick<OwnAuthenticators, 'extend' | 'extendVerify'> = {
  async extend(call, { params: { id }, body: { clientCertCsr } }) {
    const { certificates } = call.credentials;
    if (certificates.length === 0) throw new ApiError('UNAUTHORIZED');
    const authenticator = await readOwn(call, id);
    if (authenticator.isIssuedByNetwork !== 1 || !authenticator.certPem) throw canNotUpdate();
    const verify = (sent: readonly Buffer[]) => verifyByNetwork(call, sent);
    const certificate = (await verifyPresented(call.credentials, { verify })).client?.certificate;
    if (!certificate || certificate.fingerprint !== authenticator.fingerprint) throw new ApiError('UNAUTHORIZED');
    if (certificate.dates === 'not-yet-valid') throw new ApiError('UNAUTHORIZED');
    const { der: replaces, fingerprint, publicKeyPrint } = certificate;
    const { identityId, isKeyRollRequested } = authenticator;
    const issued = await issueIdentityCertificate(call, { identityId, csr: clientCertCsr, replaces });
    if (isKeyRollRequested === 1 && issued.publicKeyPrint === publicKeyPrint) throw keyMustDiffer();
    await inUnitOfWork(call, (unit) =>
      setFields(unit, 'authenticators', id, (current) => {
        if (current.fingerprint !== fingerprint) throw new ApiError('UNAUTHORIZED');
        return { pendingCertPem: issued.certPem, pendingFingerprint: issued.fingerprint };
      }),
    );
    return { clientCert: issued.chainPem, ca: `\n${call.pki.caPem}` };
  },

  async extendVerify(call, { params: { id }, body: { clientCert } }) {
    const { fingerprint: oldFingerprint, pendingCertPem, pendingFingerprint } = await readOwn(call, id);
    if (!pendingFingerprint) throw canNotUpdate();
    if (fingerprintOf(firstCertificateOf(clientCert)) !== pendingFingerprint) throw new ApiError('INVALID_CLIENT_CERT');
    const { publicKeyPrint } = printsOf(readCertificate(firstCertificateOf(pendingCertPem)));
    await inUnitOfWork(call, (unit) =>
      setFields(unit, 'authenticators', id, (current) => {
        // Another request may have confirmed it, or asked for another certificate, since it was read.
        if (current.pendingFingerprint !== pendingFingerprint) throw canNotUpdate();
        const isRolled = publicKeyPrint !== current.publicKeyPrint;
        // A key roll may have been requested after the new certificate was issued for the old key. Then the request stays.
        const stillRequested = current.isKeyRollRequested === true && !isRolled;
        return {
          certPem: pendingCertPem,
          fingerprint: pendingFingerprint,
          publicKeyPrint,
          pendingCertPem: '',
          pendingFingerprint: '',
          isExtendRequested: stillRequested,
          isKeyRollRequested: stillRequested,
          lastExtendRolledKeys: isRolled,
        };
      }),
    );
    await replaceSessionCertificate(call, { oldFingerprint, certPem: pendingCertPem });
  },
};

/**
 * An authenticator of the caller. The order of the checks is that of the wire.
 *
 * @throws 404 and 401 without a cause; 409 `CAN_NOT_UPDATE_AUTHENTICATOR` when it is no certificate
 */
async function readOwn({ database, session }: SessionCall, id: string): Promise<Authenticator> {
  const authenticator = await database.db
    .selectFrom('authenticators')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
  if (!authenticator) throw new ApiError('NOT_FOUND');
  if (authenticator.method !== 'cert') throw canNotUpdate();
  if (authenticator.identityId !== session.principal.id) throw new ApiError('UNAUTHORIZED');
  return authenticator;
}

function canNotUpdate(): ApiError {
  return new ApiError('CAN_NOT_UPDATE_AUTHENTICATOR');
}

function keyMustDiffer(): ApiError {
  const message = 'the certificate must have a new key, because a key roll is requested';
  return new ApiError('COULD_NOT_PROCESS_CSR', { cause: { code: 'UNHANDLED', message } });
}
