import type { ServiceAccess } from './service-access.ts';

/** Whether posture checks ask the sessions of an identity for a TOTP code. */
export async function isMfaAsked(
  { serviceAccess }: { readonly serviceAccess: ServiceAccess },
  identityId: string,
): Promise<boolean> {
  await serviceAccess.refresh();
  const policies = await serviceAccess.policiesOf(identityId);
  return policies.some(({ checks }) => checks.some(({ typeId }) => typeId === 'MFA'));
}
