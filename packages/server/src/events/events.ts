/** Every event the controller tells about: name → payload. No payload holds a secret. */
export interface ControllerEvents {
  /** A primary authentication succeeded. */
  authenticated: { identityId: string; apiSessionId: string; method: string; ipAddress: string };
  /** A primary authentication failed. `reason` is for operators and is never sent to the client. */
  authenticationFailed: { method: string; reason: string; ipAddress: string; identityId?: string };
  /** `controller`: too many wrong codes in a partial session. */
  apiSessionRemoved: { apiSessionId: string; identityId: string; by: 'owner' | 'administrator' | 'controller' };
  identityCreated: { identityId: string };
  identityDeleted: { identityId: string };
  identityDisabled: { identityId: string };
  /** Too many wrong passwords in a row disabled the identity; `until` is `null` when only an administrator enables it. */
  identityLocked: { identityId: string; until: string | null };
  passwordChanged: { identityId: string; authenticatorId: string; by: 'owner' | 'administrator' };
  /** An authentication query of an API session was answered. */
  authQueryAnswered: { identityId: string; apiSessionId: string; typeId: string; kind: 'totp' | 'recoveryCode' };
  /** A TOTP or recovery code was refused; `exhausted`: the attempts of the identity are used up. */
  mfaCodeRefused: { identityId: string; apiSessionId: string; reason: 'wrong' | 'exhausted' };
  mfaEnrolled: { identityId: string };
  mfaRemoved: { identityId: string; by: 'owner' | 'administrator' };
  enrollmentRedeemed: { identityId: string; enrollmentId: string; method: string };
}

export type EventName = keyof ControllerEvents;
