import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { addPolicy, policyRules } from '../support/auth-policies.ts';
import { addIdentity } from '../support/certificate-users.ts';
import { startController, storePairs } from '../support/controller.ts';
import { addIssuer, bearer, createJwtIssuer, jwtSignIn } from '../support/jwt-issuer.ts';

const hour = 3_600_000;

describe.each(storePairs)('a session that a JWT has opened, on $stores', ({ open }) => {
  it('goes on when the JWT has expired, unless each request needs one', async () => {
    const clock = { now: Date.now() };
    await using server = await startController({ ...(await open()), clock: () => clock.now });
    await using issuer = await createJwtIssuer();
    const admin = await server.signIn();
    const signerId = await addIssuer(server, admin, issuer);
    const primary = { ...policyRules.primary, extJwt: { allowed: true, allowedSigners: [signerId] } };
    const signIn = async (name: string, secondary: object) => {
      const authPolicyId = await addPolicy(server, admin, { name, primary, secondary });
      const sub = randomUUID();
      await addIdentity(server, admin, { externalId: sub, authPolicyId });
      const jwt = issuer.sign({ sub });
      const { body } = await server.wire('POST', jwtSignIn, { body: {}, headers: bearer(jwt) });
      const { token } = body.data;
      return async () => {
        const path = '/edge/client/v1/current-api-session';
        const { status, body: answer } = await server.wire('GET', path, { token, headers: bearer(jwt) });
        return [status, answer.data.authQueries.length];
      };
    };
    const once = await signIn('once', { requireTotp: false });
    const always = await signIn('always', { requireTotp: false, requireExtJwtSigner: signerId });
    expect([await once(), await always()]).toEqual([
      [200, 0],
      [200, 0],
    ]);
    clock.now += 24 * hour;
    expect([await once(), await always()]).toEqual([
      [200, 0],
      [200, 1],
    ]);
  });
});
