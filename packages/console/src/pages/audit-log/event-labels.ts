/** The events of the audit log as people say them. */
export const eventLabels: Readonly<Record<string, string>> = {
  'authentication.succeeded': 'Signed in',
  'authentication.failed': 'Sign-in refused',
  'authQuery.answered': 'Second factor accepted',
  'externalJwt.refused': 'JWT refused',
  'apiSession.tokensRead': 'Tokens of API sessions read',
  'apiSession.tokenUsed': 'Token used that an administrator has read',
  'apiSession.ended': 'API session ended',
  'apiSessions.revoked': 'All API sessions ended',
  'session.ended': 'Service session ended',
  'identity.locked': 'Identity locked',
  'permission.denied': 'Missing permission',
  'password.changed': 'Password changed',
  'stepUp.refused': 'Another proof was needed',
  'mfa.enrolled': 'TOTP enrolled',
  'mfa.removed': 'TOTP removed',
  'mfaCode.refused': 'Code refused',
  'recoveryCodes.replaced': 'Recovery codes replaced',
  'enrollment.redeemed': 'Enrolled',
  'enrollment.refused': 'Enrollment refused',
  'router.enrolled': 'Router enrolled',
  'entity.created': 'Created',
  'entity.updated': 'Changed',
  'entity.deleted': 'Deleted',
  'controller.started': 'Controller started',
  'controller.stopped': 'Controller stopped',
  'controller.certificateChanged': 'Server certificate changed',
  'controller.settingsReloaded': 'Settings read again',
  'database.restored': 'Database restored',
  'auditLog.shortened': 'Oldest entries removed',
};

export function eventLabel(event: string): string {
  return eventLabels[event] ?? event;
}
