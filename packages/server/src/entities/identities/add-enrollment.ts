import type { IdentityCreate } from '@edge-controller/shared-types';
import { ApiError } from '../../api-error.ts';
import { isoTime } from '../../lib/clock.ts';
import { secretToken, shortId, tokenHash } from '../../lib/ids.ts';
import type { Change } from '../define-entity.ts';

type RequestedEnrollment = NonNullable<IdentityCreate['enrollment']>;

/**
 * Creates the enrollment that the request has for the identity. Only the first of `ott`, `ottca` and `updb` is used.
 */
export async function addEnrollment(
  { call, tx }: Change,
  requested: RequestedEnrollment,
  identity: { id: string },
): Promise<void> {
  const method = requested.ott ? 'ott' : requested.ottca ? 'ottca' : requested.updb ? 'updb' : null;
  if (method === null) return;
  const caId = method === 'ottca' ? (requested.ottca ?? null) : null;
  if (caId !== null) await requireCa(tx, caId);
  const now = call.clock();
  const expiresAt = now + call.settings.enrollmentDuration;
  const token = secretToken();
  const id = shortId();
  const jwt = await call.enrollmentSigner.sign({ identityId: identity.id, method, token, expiresAt });
  await tx
    .insertInto('enrollments')
    .values({
      id,
      identityId: identity.id,
      method,
      tokenHash: tokenHash(token),
      sealed: call.sealer.seal(JSON.stringify({ token, jwt }), id),
      username: method === 'updb' ? (requested.updb ?? null) : null,
      caId,
      expiresAt: isoTime(expiresAt),
      createdAt: isoTime(now),
      updatedAt: isoTime(now),
      tags: '{}',
    })
    .execute();
}

async function requireCa(tx: Change['tx'], caId: string): Promise<void> {
  const ca = await tx.selectFrom('cas').select('id').where('id', '=', caId).executeTakeFirst();
  if (!ca) throw new ApiError('NOT_FOUND', { cause: { field: 'caId', reason: 'ca not found', value: caId } });
}
