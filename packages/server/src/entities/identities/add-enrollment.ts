import type { IdentityCreate } from '@edge-controller/shared-types';
import { ApiError } from '../../api-error.ts';
import { isoTime } from '../../lib/clock.ts';
import { secretToken, shortId, tokenHash } from '../../lib/ids.ts';
import type { Change } from '../define-entity.ts';

type Asked = NonNullable<IdentityCreate['enrollment']>;

/** Makes the enrollment that was asked for with the identity. Of several members one counts: ott, ottca, updb. */
export async function addEnrollment({ call, tx }: Change, asked: Asked, identity: { id: string }): Promise<void> {
  const method = asked.ott ? 'ott' : asked.ottca ? 'ottca' : asked.updb ? 'updb' : null;
  if (method === null) return;
  const caId = method === 'ottca' ? (asked.ottca ?? null) : null;
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
      username: method === 'updb' ? (asked.updb ?? null) : null,
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
