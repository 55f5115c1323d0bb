import type { EntityData } from '@edge-controller/shared-types';

/** The rules of an auth policy, as in the API. */
export type AuthPolicy = Pick<EntityData<'authPolicies'>, 'primary' | 'secondary'>;
/** The rules of an auth policy for user names and passwords. */
export type UpdbRules = AuthPolicy['primary']['updb'];

/** The columns with the rules of a policy, for `select`. Each is a JSON object as text. */
export const policyColumns = ['primary', 'secondary'] as const;

/** Whether identities of a policy may sign in with a token of a signer. Without a list, all enabled signers are allowed. */
export function allowsSigner({ allowed, allowedSigners }: AuthPolicy['primary']['extJwt'], signerId: string): boolean {
  return allowed && (allowedSigners.length === 0 || allowedSigners.includes(signerId));
}

export function readAuthPolicy(row: Readonly<Record<(typeof policyColumns)[number], string>>): AuthPolicy {
  return { primary: JSON.parse(row.primary), secondary: JSON.parse(row.secondary) };
}
