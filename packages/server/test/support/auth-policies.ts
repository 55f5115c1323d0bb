import { expect } from 'vitest';
import type { TestController } from './controller.ts';

export const authPolicies = '/edge/management/v1/auth-policies';

/** Members of an auth policy that allows certificates and passwords and asks for nothing beside them. */
export const policyRules = {
  primary: {
    cert: { allowed: true, allowExpiredCerts: false },
    extJwt: { allowed: false, allowedSigners: [] as string[] },
    updb: {
      allowed: true,
      minPasswordLength: 12,
      requireSpecialChar: true,
      requireNumberChar: false,
      requireMixedCase: true,
      maxAttempts: 5,
      lockoutDurationMinutes: 15,
    },
  },
  secondary: { requireTotp: false },
};

/** Creates an auth policy and returns its id; `members` replace those of `policyRules`. */
export async function addPolicy(
  { wire }: TestController,
  token: string,
  members: { name: string; primary?: object; secondary?: object },
): Promise<string> {
  const created = await wire('POST', authPolicies, { token, body: { ...policyRules, ...members } });
  expect(created.status, created.text).toBe(201);
  return created.body.data.id;
}

/** An identity under an auth policy that can sign in with the returned credentials. */
export async function addUserUnder(
  server: TestController,
  token: string,
  { authPolicyId, isAdmin = false }: { authPolicyId: string; isAdmin?: boolean },
) {
  const user = await server.addUser(token, { isAdmin });
  const path = `/edge/management/v1/identities/${user.id}`;
  const moved = await server.wire('PATCH', path, { token, body: { authPolicyId } });
  expect(moved.status, moved.text).toBe(200);
  return user;
}

/** Switches the requirement of TOTP on or off. */
export async function requireTotp(
  { wire }: TestController,
  token: string,
  { id, isRequired }: { id: string; isRequired: boolean },
): Promise<void> {
  const body = { secondary: { requireTotp: isRequired } };
  const answer = await wire('PATCH', `${authPolicies}/${id}`, { token, body });
  expect([answer.status, answer.body]).toEqual([200, { data: {}, meta: {} }]);
}
