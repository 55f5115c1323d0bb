import type { VerifiedClient } from '../../../../credentials/certificates/verify-client-certificate.ts';
import { inUnitOfWork } from '../../../../crud/unit-of-work.ts';
import { setFields } from '../../../../crud/write.ts';
import { lockIdentity } from '../../../../storage/entity-store/locks/lock-identity.ts';
import type { AuthenticationCall } from '../../dependencies.ts';
import type { CertificateAuthenticator } from './holder.ts';

/**
 * Stores whether the client presented its chain up to a root, and completes an older authenticator. Most sign-ins
 * change nothing, and write nothing.
 */
export async function recordSignIn(
  call: AuthenticationCall,
  { identityId, ...authenticator }: CertificateAuthenticator & { readonly identityId: string },
  { certificate, issuer }: VerifiedClient<unknown>,
): Promise<void> {
  const { id, certPem, publicKeyPrint, lastAuthResolvedToRoot } = authenticator;
  const resolvesToRoot = issuer.kind === 'network' ? issuer.resolvesToRoot : null;
  const changed = {
    ...(resolvesToRoot !== null &&
      (lastAuthResolvedToRoot === 1) !== resolvesToRoot && { lastAuthResolvedToRoot: resolvesToRoot }),
    ...(!certPem && { certPem: certificate.certPem }),
    ...(publicKeyPrint === '' && { publicKeyPrint: certificate.publicKeyPrint }),
  };
  if (Object.keys(changed).length === 0) return;
  const { database } = call;
  await inUnitOfWork(call, async (unit) => {
    // Its owner may have renewed the certificate meanwhile, or the authenticator was deleted.
    if (!(await lockIdentity(database, unit.tx, identityId))) return;
    const stored = await unit.tx.selectFrom('authenticators').select('fingerprint').where('id', '=', id).execute();
    if (stored[0]?.fingerprint === certificate.fingerprint) {
      await setFields(unit, 'authenticators', id, () => changed);
    }
  });
}
