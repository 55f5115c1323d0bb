import type { EntityData } from '@edge-controller/shared-types';
import { ApiError } from '../../core/api-error.ts';
import { shortId } from '../../core/secrets/ids.ts';
import { isoTime } from '../../core/time/clock.ts';
import type { ProposedChange } from '../../crud/define-entity.ts';
import { createEntity } from '../../crud/write.ts';
import { keepCa } from '../../storage/entity-store/locks/lock-ca.ts';
import type { Caller } from '../dependencies.ts';

/** Creates the enrollment that the request has for a new identity. Only the first of ott, ottca and updb is used. */
export async function addEnrollment({ unit, body }: ProposedChange<Caller>, identityId: string): Promise<void> {
  const { ott, ottca, updb } = (body.enrollment ?? {}) as NonNullable<EntityData<'identities', 'create'>['enrollment']>;
  const method = ott ? 'ott' : ottca ? 'ottca' : updb ? 'updb' : null;
  if (method === null) return;
  if (method === 'ottca') await requireCa(unit, ottca ?? '');
  const { clock, settings } = unit.caller;
  const enrollment = {
    identityId,
    method,
    caId: method === 'ottca' ? ottca : null,
    username: method === 'updb' ? updb : null,
    expiresAt: isoTime(clock() + Math.min(settings.enrollmentDuration, settings.enrollmentMaxDuration)),
  };
  await createEntity(unit, 'enrollments', enrollment, { id: shortId() });
}

async function requireCa({ caller, tx }: ProposedChange['unit'], caId: string): Promise<void> {
  if (await keepCa(caller.database, tx, caId)) return;
  throw new ApiError('NOT_FOUND', { cause: { field: 'caId', reason: 'ca not found', value: caId } });
}
