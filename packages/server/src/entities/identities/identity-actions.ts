import type { managementApi } from '@edge-controller/shared-types';
import { isMfaAsked } from '../../access/service-access/is-mfa-asked.ts';
import { markIdentity } from '../../access/service-updates/mark-subjects.ts';
import { invalidField } from '../../core/api-error.ts';
import { isoTime } from '../../core/time/clock.ts';
import * as mfas from '../../credentials/mfas/mfa-record.ts';
import { resetFailedAttempts } from '../../credentials/passwords/password-record.ts';
import { lacksRights, requireRightsOf } from '../../credentials/rights/higher-identities.ts';
import { isAdministrator, requireAdministrator } from '../../credentials/sign-in-rules/administrators.ts';
import { inUnitOfWork } from '../../crud/unit-of-work.ts';
import { setFields } from '../../crud/write.ts';
import type { Handlers, SessionCall } from '../dependencies.ts';

type Identities = Handlers<typeof managementApi>['identities'];

/** The end of 9999-12-31, the last time that RFC 3339 can represent. */
const maxTime = 253_402_300_799_999;

/** Handlers of one identity besides those of every entity. */
export const identityActions: Pick<Identities, 'disable' | 'enable' | 'removeMfa'> = {
  async disable(call, { params: { id }, body: { durationMinutes } }) {
    const now = call.clock();
    const until = durationMinutes > 0 ? now + durationMinutes * 60_000 : null;
    if (until !== null && until > maxTime) {
      throw invalidField('durationMinutes', 'is too far in the future', String(durationMinutes));
    }
    const disabled = { disabledAt: isoTime(now), disabledUntil: until === null ? null : isoTime(until) };
    await inUnitOfWork(call, async (unit) => {
      await setFields(unit, 'identities', id, () => disabled);
      await resetFailedAttempts(unit.tx, id);
      if (await isAdministrator(unit.tx, id)) {
        await requireAdministrator(unit.tx, { now, field: 'id', value: id });
      }
      await unit.affect({ kind: 'endSessions', identityId: id });
    });
  },

  async enable(call, { params: { id } }) {
    await inUnitOfWork(call, async (unit) => {
      await setFields(unit, 'identities', id, () => ({ disabledAt: null, disabledUntil: null }));
      await resetFailedAttempts(unit.tx, id);
      // A client that repeats the request after a 503 must also wait for the session store.
      await unit.affect({ kind: 'changed' });
    });
  },

  removeMfa,
};

/** Removes the TOTP of an identity. As on the wire, it also succeeds without a TOTP and for an unknown identity. */
async function removeMfa(call: SessionCall, { params: { id } }: { readonly params: { readonly id: string } }) {
  const isAsked = await isMfaAsked(call, id);
  await inUnitOfWork(call, async (unit) => {
    const { principal } = call.session;
    // With a code, everybody removes their own at /current-identity/mfa.
    if (!principal.isAdmin && principal.id === id) throw lacksRights('you remove your own TOTP with a code');
    await requireRightsOf(unit.tx, principal, id);
    const isRemoved = await mfas.removeMfa(unit.tx, id);
    if (isRemoved) unit.emit('mfa.removed', { identityId: id, by: 'administrator' });
    if (isRemoved && isAsked) await markIdentity(unit, id);
    // Also without a TOTP: a client that repeats the request after a 503 must wait for the session store.
    await unit.affect({ kind: 'changed' });
    await unit.affect({ kind: 'rights', scope: { identityId: id } });
  });
}
