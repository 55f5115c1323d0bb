/** Every event the controller tells about: name → payload. No payload holds a secret. */
export interface ControllerEvents {
  /** A primary authentication succeeded. */
  authenticated: { identityId: string; apiSessionId: string; method: string; ipAddress: string };
  /** A primary authentication failed. `reason` is for operators and is never sent to the client. */
  authenticationFailed: { method: string; reason: string; ipAddress: string; identityId?: string };
  apiSessionRemoved: { apiSessionId: string; identityId: string; by: 'owner' | 'administrator' };
  identityCreated: { identityId: string };
  identityDeleted: { identityId: string };
  identityDisabled: { identityId: string };
  enrollmentRedeemed: { identityId: string; enrollmentId: string; method: string };
}

export type EventName = keyof ControllerEvents;
