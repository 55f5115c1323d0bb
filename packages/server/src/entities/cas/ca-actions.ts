import type { Certificate } from '@edge-controller/certificate-path';
import { BrokenRule, readCertificate, verifyChain } from '@edge-controller/certificate-path';
import type { managementApi } from '@edge-controller/shared-types';
import { ApiError, notFound } from '../../core/api-error.ts';
import { isSameSecret } from '../../core/secrets/same-secret.ts';
import { inUnitOfWork } from '../../crud/unit-of-work.ts';
import { deleteEntity, setFields } from '../../crud/write.ts';
import { firstCertificateOf, readPem } from '../../pki/pem.ts';
import { lockIdentitiesOfCa } from '../../storage/entity-store/locks/lock-ca.ts';
import type { Handlers, SessionCall } from '../dependencies.ts';

type Cas = Handlers<typeof managementApi>['cas'];

/** Handlers of one CA besides those of every entity. */
export const caActions: Pick<Cas, 'delete' | 'verify' | 'jwt'> = {
  delete: (call, { params: { id } }) =>
    inUnitOfWork(call, async (unit) => {
      await lockIdentitiesOfCa(call.database, unit.tx, id);
      await deleteEntity(unit, 'cas', id);
    }),

  async verify(call, { params: { id }, body }) {
    const ca = await readCa(call, id);
    if (ca.isVerified === 1) throw new ApiError('CA_ALREADY_VERIFIED');
    const proof = readProof(body);
    if (!isSameSecret(proof.subject.commonNames.at(-1) ?? '', ca.verificationToken ?? '')) {
      throw new ApiError('INVALID_COMMON_NAME');
    }
    // Its key is proven by what it has signed itself: no intermediates.
    const chain = verifyChain({
      ...{ leaf: proof.der, bag: [], anchors: [firstCertificateOf(ca.certPem)], at: call.clock() },
      ...{ requiredExtendedKeyUsage: null, maxDepth: 0 },
    });
    if (!chain.valid) {
      const cause = { code: 'UNHANDLED', message: `${chain.rule}: ${chain.message}` };
      throw new ApiError('CERTIFICATE_FAILED_VALIDATION', { cause });
    }
    await inUnitOfWork(call, (unit) =>
      setFields(unit, 'cas', id, ({ isVerified }) => {
        if (isVerified) throw new ApiError('CA_ALREADY_VERIFIED');
        return { isVerified: true };
      }),
    );
  },

  async jwt(call, { params: { id } }) {
    await readCa(call, id);
    return await call.enrollmentSigner.signForCa(id);
  },
};

async function readCa({ database }: SessionCall, id: string) {
  const ca = await database.db
    .selectFrom('cas')
    .select(['certPem', 'isVerified', 'verificationToken'])
    .where('id', '=', id)
    .executeTakeFirst();
  if (!ca) throw notFound('ca', id);
  return ca;
}

/** Reads the certificate that proves that somebody has the key of a CA. The first block of the PEM text counts. */
function readProof(pem: string): Certificate {
  const [block] = readPem(pem);
  if (!block) {
    throw new ApiError('COULD_NOT_PARSE_BODY', { cause: { code: 'UNHANDLED', message: 'the body is not PEM' } });
  }
  if (block.label !== 'CERTIFICATE') throw new ApiError('EXPECTED_PEM_CERTIFICATE');
  try {
    return readCertificate(block.bytes);
  } catch (error) {
    if (error instanceof BrokenRule) throw new ApiError('COULD_NOT_PARSE_DER_BLOCK');
    throw error;
  }
}
