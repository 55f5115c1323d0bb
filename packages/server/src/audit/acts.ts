import type { AuditEventName, AuditEvents } from '../core/events/audit-events.ts';
import type { ControllerEvent, ControllerEvents, EventName } from '../core/events/events.ts';
import { shownChange } from './shown-change.ts';

/** What an entry says about an act, without time and request. */
export interface Act {
  readonly event: AuditEventName;
  readonly outcome: 'success' | 'failure';
  /** Who acted. */
  readonly identityId: string | null;
  readonly entityType: string | null;
  readonly entityId: string | null;
  readonly details: object;
}

/** `by`: the identity of the API session of the request. */
type ActOf<N extends EventName> = (payload: ControllerEvents[N], by: string | null) => Act | null;

type On = readonly [entityType: string, entityId: string | null] | null;

/** An act that succeeded. */
export function act<N extends AuditEventName>(event: N, who: string | null, on: On, details: AuditEvents[N]): Act {
  const [entityType, entityId] = on ?? [null, null];
  return { event, outcome: 'success', identityId: who, entityType, entityId, details };
}

const failed = (done: Act): Act => ({ ...done, outcome: 'failure' });
const onIdentity = (id: string | null | undefined): On => (id ? ['identity', id] : null);

/** Event → its entry. `null`: it has none. */
const acts: { readonly [N in EventName]: ActOf<N> } = {
  entityChange(change) {
    const { eventType, entityType, entityId, by } = change;
    // The types of the states depend on the kind of change.
    return act(`entity.${eventType}`, by, [entityType, entityId], shownChange(change) as never);
  },
  authenticated: ({ identityId, apiSessionId, method }) =>
    act('authentication.succeeded', identityId, ['apiSession', apiSessionId], { method }),
  authenticationFailed: ({ identityId, method, reason }) =>
    failed(act('authentication.failed', null, onIdentity(identityId), { method, reason })),
  // Clients send it with every request, so it would let them fill the log.
  externalJwtRefused: ({ use, check, expected, received, signerId, identityId }) =>
    use === 'secondary'
      ? null
      : failed(
          act(
            'externalJwt.refused',
            null,
            signerId === null ? onIdentity(identityId) : ['externalJwtSigner', signerId],
            {
              ...{ use, check },
              ...(expected !== undefined && { expected }),
              ...(received !== undefined && { received }),
            },
          ),
        ),
  apiSessionRemoved: ({ apiSessionId, identityId, by }, who) =>
    act('apiSession.ended', by === 'controller' ? null : who, ['apiSession', apiSessionId], { identityId, by }),
  apiSessionExpired: ({ apiSessionId, identityId }) =>
    act('apiSession.ended', null, ['apiSession', apiSessionId], { identityId, by: 'timeout' }),
  apiSessionTokensRead: ({ by, apiSessionId, tokens }) =>
    act('apiSession.tokensRead', by, apiSessionId === null ? null : ['apiSession', apiSessionId], { tokens }),
  apiSessionsRevoked: ({ of, id, ...which }, who) => act('apiSessions.revoked', who, [of, id], which),
  sessionCreated: () => null,
  // A client that closes its own sessions may do so at any rate.
  sessionRemoved: ({ sessionId, by, apiSessionId, identityId, serviceId, type }, who) =>
    by === 'owner'
      ? null
      : act('session.ended', by === 'controller' ? null : who, ['session', sessionId], {
          ...{ apiSessionId, identityId, serviceId, type, by },
        }),
  identityLocked: ({ identityId, until }) => act('identity.locked', null, ['identity', identityId], { until }),
  permissionDenied: ({ identityId, operation, permission }) =>
    failed(act('permission.denied', identityId, null, { operation, permission })),
  // Strangers can cause any number of both: the log has lines with a limit.
  requestLimited: () => null,
  connectionRefused: () => null,
  passwordChanged: ({ identityId, authenticatorId, by }, who) =>
    act('password.changed', who, ['authenticator', authenticatorId], { identityId, by }),
  stepUpRefused: ({ identityId, apiSessionId, operation }) =>
    failed(act('stepUp.refused', identityId, ['identity', identityId], { apiSessionId, operation })),
  authQueryAnswered: ({ identityId, apiSessionId, typeId, kind }) =>
    act('authQuery.answered', identityId, ['apiSession', apiSessionId], { typeId, kind }),
  mfaCodeRefused: ({ identityId, apiSessionId, reason }) =>
    failed(act('mfaCode.refused', identityId, ['identity', identityId], { apiSessionId, reason })),
  mfaEnrolled: ({ identityId }) => act('mfa.enrolled', identityId, ['identity', identityId], {}),
  mfaRemoved: ({ identityId, by }, who) => act('mfa.removed', who, ['identity', identityId], { by }),
  recoveryCodesReplaced: ({ identityId }) => act('recoveryCodes.replaced', identityId, ['identity', identityId], {}),
  enrollmentRedeemed: ({ identityId, enrollmentId, method }) =>
    act('enrollment.redeemed', identityId, ['identity', identityId], { method, enrollmentId }),
  enrollmentRefused: ({ method, code }) => failed(act('enrollment.refused', null, null, { method, code })),
  routerEnrolled: ({ routerId, method }) => act('router.enrolled', null, ['router', routerId], { method }),
  serverCertificateChanged: ({ fingerprint }) => act('controller.certificateChanged', null, null, { fingerprint }),
  settingsReloaded: ({ changed, needRestart }) =>
    act('controller.settingsReloaded', null, null, { changed, needRestart }),
  controllerStarted: ({ version, settings }) => act('controller.started', null, null, { version, settings }),
  controllerStopped: ({ version }) => act('controller.stopped', null, null, { version }),
  auditLogShortened: ({ through, by }) => act('auditLog.shortened', null, null, { through, by }),
};

/** What the audit log says about an event, or `null` when it says nothing. */
export function actOf({ name, payload }: ControllerEvent, by: string | null): Act | null {
  // The table has a function for the payload of each name.
  return (acts[name] as ActOf<typeof name>)(payload as never, by);
}
