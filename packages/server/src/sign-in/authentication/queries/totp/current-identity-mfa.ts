import type { clientApi, DetailMfa } from '@edge-controller/shared-types';
import { isMfaAsked } from '../../../../access/service-access/is-mfa-asked.ts';
import { markIdentity } from '../../../../access/service-updates/mark-subjects.ts';
import { ApiError } from '../../../../core/api-error.ts';
import type { ControllerEvent } from '../../../../core/events/events.ts';
import { removeMfa, removeUnverifiedMfa } from '../../../../credentials/mfas/mfa-record.ts';
import type { MfaRow } from '../../../../credentials/mfas/mfa-row.ts';
import { recoveryCodesOf, sealRecoveryCodes } from '../../../../credentials/mfas/sealed-members.ts';
import type { Handlers, SessionCall } from '../../dependencies.ts';
import { createOwnMfa, findOwnMfa, provisioningUrlOf } from './own-mfa.ts';
import { newRecoveryCodes } from './recovery-codes.ts';
import { useCode } from './use-code.ts';

const self = './current-identity/mfa';
const missing = () => new ApiError('NOT_FOUND');

/** Handlers of `/current-identity/mfa`. */
export const currentIdentityMfa: Handlers<typeof clientApi>['currentIdentityMfa'] = {
  create: async (call) => ({ id: await createOwnMfa(call), href: self }),

  async get(call) {
    const mfa = await findOwnMfa(call);
    if (!mfa) throw missing();
    return mfa.isVerified === 1 ? verifiedDetail(mfa) : unverifiedDetail(call, mfa);
  },

  async qrCode(call) {
    // Loaded here: most controllers never draw one.
    const { qrCode } = await import('./qr-code.ts');
    return qrCode(provisioningUrlOf(call, await readMfa(call, 'unverified')));
  },

  async verify(call, { body: { code } }) {
    const { clock, session, sessions } = call;
    const mfa = await readMfa(call, 'unverified');
    const enrolled = { name: 'mfa.enrolled', payload: { identityId: session.principal.id } } as const;
    await useCode(call, {
      mfa,
      code,
      accepts: ['totp'],
      missing,
      columns: { isVerified: 1 },
      async inTransaction(tx) {
        await call.outbox.add(tx, { kind: 'changed' });
        // After the commit, every session needs the new factor. This session has proven it, so store that first.
        await sessions.update(session.stored.tokenHash, { mfaId: mfa.id, mfaPassedAt: clock() });
        await call.audit.append(tx, call, [enrolled]);
      },
    });
    call.events.emit(enrolled.name, enrolled.payload);
    await call.outbox.drain();
  },

  async delete(call, { headers }) {
    const found = await findOwnMfa(call);
    if (!found) throw missing();
    const { identityId } = found;
    const removed = { name: 'mfa.removed', payload: { identityId, by: 'owner' } } as const;
    if (found.isVerified === 0 && (await removeUnverified(call, found, removed))) {
      call.events.emit(removed.name, removed.payload);
    } else {
      const mfa = await readMfa(call, 'verified');
      const isAsked = await isMfaAsked(call, identityId);
      await useCode(call, {
        mfa,
        code: headers['mfa-validation-code'],
        accepts: ['totp', 'recoveryCode'],
        missing,
        async inTransaction(tx) {
          await removeMfa(tx, identityId);
          if (isAsked) await markIdentity({ tx, caller: call }, identityId);
          await call.outbox.add(tx, { kind: 'changed' });
          await call.outbox.add(tx, { kind: 'rights', scope: { identityId } });
          await call.audit.append(tx, call, [removed]);
        },
      });
      call.events.emit(removed.name, removed.payload);
      await call.outbox.drain();
    }
  },

  async recoveryCodes(call, { headers }) {
    const { mfa } = await useCode(call, {
      mfa: await readMfa(call, 'verified'),
      code: headers['mfa-validation-code'],
      accepts: ['totp'],
      missing,
    });
    return { ...base(mfa, `${self}/recovery-codes`), recoveryCodes: recoveryCodesOf(call, mfa) };
  },

  async createRecoveryCodes(call, { body: { code } }) {
    const mfa = await readMfa(call, 'verified');
    const replaced = { name: 'recoveryCodes.replaced', payload: { identityId: mfa.identityId } } as const;
    await useCode(call, {
      mfa,
      code,
      accepts: ['totp', 'recoveryCode'],
      missing,
      columns: { sealedRecoveryCodes: sealRecoveryCodes(call, mfa, newRecoveryCodes()) },
      inTransaction: (tx) => call.audit.append(tx, call, [replaced]),
    });
    call.events.emit(replaced.name, replaced.payload);
  },
};

/** Removes a TOTP that is not verified, together with the entry of the event. Returns false when it is gone or verified. */
function removeUnverified(call: SessionCall, mfa: MfaRow, event: ControllerEvent) {
  return call.database.transaction(async (tx) => {
    const isRemoved = await removeUnverifiedMfa(tx, mfa);
    if (isRemoved) await call.audit.append(tx, call, [event]);
    return isRemoved;
  });
}

/** Returns the TOTP of the caller. Throws 404 without cause when there is none, or when it is not in this state. */
async function readMfa(call: SessionCall, state: 'verified' | 'unverified'): Promise<MfaRow> {
  const mfa = await findOwnMfa(call);
  if (mfa?.isVerified !== (state === 'verified' ? 1 : 0)) throw missing();
  return mfa;
}

function base(mfa: MfaRow, href: string) {
  return {
    id: mfa.id,
    createdAt: mfa.createdAt,
    updatedAt: mfa.updatedAt,
    tags: JSON.parse(mfa.tags),
    _links: { self: { href }, 'current-identity': { href: './current-identity' } },
  };
}

function unverifiedDetail(call: SessionCall, mfa: MfaRow): DetailMfa {
  const { _links, ...members } = base(mfa, self);
  return {
    ...members,
    _links: { ..._links, verify: { href: `${self}/verify` }, qr: { href: `${self}/qr-code` } },
    isVerified: false,
    recoveryCodes: recoveryCodesOf(call, mfa),
    provisioningUrl: provisioningUrlOf(call, mfa),
  };
}

function verifiedDetail(mfa: MfaRow): DetailMfa {
  const { _links, ...members } = base(mfa, self);
  return {
    ...members,
    _links: { ..._links, 'recovery-codes': { href: `${self}/recovery-codes` } },
    isVerified: true,
    recoveryCodes: null,
  };
}
