import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { ControllerOptions } from '../../src/index.ts';
import { addPolicy, policyRules } from '../support/auth-policies.ts';
import { addIdentity } from '../support/certificate-users.ts';
import type { TestController } from '../support/controller.ts';
import { everyStorePair, startController } from '../support/controller.ts';
import { signersPath } from '../support/external-jwt-signers.ts';
import { addIssuer, bearer, createJwtIssuer, jwtSignIn } from '../support/jwt-issuer.ts';

const current = '/edge/client/v1/current-api-session';
const minute = 60_000;
const tolerance = 10_000;

/** A controller whose clock a test sets, with a signer and somebody whom it names. */
async function startSigned(options: ControllerOptions) {
  const clock = { now: Math.floor(Date.now() / 1_000) * 1_000 };
  const server = await startController({ ...options, clock: () => clock.now, jwtClockTolerance: tolerance });
  const admin = await server.signIn();
  const issuer = await createJwtIssuer();
  const signerId = await addIssuer(server, admin, issuer);
  const primary = { ...policyRules.primary, extJwt: { allowed: true, allowedSigners: [] } };
  const authPolicyId = await addPolicy(server, admin, { name: 'tokens', primary });
  const sub = randomUUID();
  await addIdentity(server, admin, { externalId: sub, authPolicyId });
  const seconds = (milliseconds: number) => Math.floor((clock.now + milliseconds) / 1_000);
  return {
    clock,
    server,
    ask: async (members: object) =>
      (await server.wire('PATCH', `${signersPath}/${signerId}`, { token: admin, body: members })).status,
    signer: async () => (await server.wire('GET', `${signersPath}/${signerId}`, { token: admin })).body.data,
    /** Times from now on, in milliseconds. */
    signIn: ({ exp = 20 * minute, authTime = 0 }: { exp?: number; authTime?: number }) => {
      const jwt = issuer.sign({ sub, iat: seconds(Math.min(0, exp)), exp: seconds(exp), auth_time: seconds(authTime) });
      return server.wire('POST', jwtSignIn, { body: {}, headers: bearer(jwt) });
    },
    async [Symbol.asyncDispose]() {
      await issuer[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
    },
  };
}

const statusOf = async ({ wire }: TestController, token: string) => (await wire('GET', current, { token })).status;

describe.each(everyStorePair)('the end of a session that a JWT has opened, on $stores', ({ open }) => {
  it('is `exp` of the JWT, or the age of the sign-in at the provider, where the signer says so', async () => {
    await using signed = await startSigned(await open());
    const { clock, server, ask, signIn } = signed;
    const opened = async (times: Parameters<typeof signIn>[0]) => {
      const { status, body, text } = await signIn(times);
      expect(status, text).toBe(200);
      return body.data;
    };
    const free = await opened({ exp: 5 * minute });
    expect(Date.parse(free.expiresAt) - clock.now).toBe(30 * minute);
    expect(free.endsAt).toBeUndefined();

    expect(await ask({ sessionsEndAt: 'EXP' })).toBe(200);
    const short = await opened({ exp: 5 * minute });
    expect(Date.parse(short.expiresAt) - clock.now).toBe(5 * minute + tolerance);
    expect(short.endsAt).toBe(short.expiresAt);

    expect(await ask({ sessionsEndAt: 'AUTH_AGE', maxAuthAgeMinutes: 60 })).toBe(200);
    const aged = await opened({ authTime: -45 * minute });
    expect(Date.parse(aged.endsAt) - clock.now).toBe(15 * minute + tolerance);

    const statuses = async () => [
      await statusOf(server, free.token),
      await statusOf(server, short.token),
      await statusOf(server, aged.token),
    ];
    clock.now += 5 * minute + tolerance - 1;
    expect(await statuses()).toEqual([200, 200, 200]);
    clock.now += 1;
    expect(await statuses()).toEqual([200, 401, 200]);
    clock.now += 10 * minute;
    expect(await statuses()).toEqual([200, 401, 401]);
  });

  it('leaves time to the last JWT that the clock of the signer allows', async () => {
    await using signed = await startSigned(await open());
    const { clock, server, ask, signIn } = signed;
    await ask({ sessionsEndAt: 'EXP' });
    // It has expired, and is accepted within the tolerance.
    const late = await signIn({ exp: -tolerance + 1_000 });
    expect(late.status, late.text).toBe(200);
    expect(await statusOf(server, late.body.data.token)).toBe(200);
    clock.now += 1_000;
    expect(await statusOf(server, late.body.data.token)).toBe(401);
    expect((await signIn({ exp: -tolerance })).status).toBe(401);
    // A JWT of the future does not lengthen it: it is refused.
    await ask({ sessionsEndAt: 'AUTH_AGE', maxAuthAgeMinutes: 10 });
    expect((await signIn({ authTime: 60 * minute })).status).toBe(401);
  });

  it('is shorter than that of the setting, or is that of the setting', async () => {
    await using signed = await startSigned({ ...(await open()), maxSessionLifetime: 10 * minute });
    const { clock, ask, signIn } = signed;
    await ask({ sessionsEndAt: 'EXP' });
    const ends = async (exp: number) => Date.parse((await signIn({ exp })).body.data.endsAt) - clock.now;
    expect([await ends(5 * minute), await ends(20 * minute)]).toEqual([5 * minute + tolerance, 10 * minute]);
  });

  it('is shown only when it is set, and refused when it says nothing', async () => {
    await using signed = await startSigned(await open());
    const { ask, signer } = signed;
    const shown = async () => (await signer()).sessionsEndAt;
    expect(await shown()).toBeUndefined();
    for (const sessionsEndAt of ['exp', 'NEVER', 1, true]) expect(await ask({ sessionsEndAt })).toBe(400);
    expect(await ask({ sessionsEndAt: 'AUTH_AGE' })).toBe(400);
    expect([await ask({ sessionsEndAt: 'EXP' }), await shown()]).toEqual([200, 'EXP']);
    expect([await ask({ sessionsEndAt: '' }), await shown()]).toEqual([200, undefined]);
    expect(await ask({ sessionsEndAt: 'AUTH_AGE', maxAuthAgeMinutes: 5 })).toBe(200);
    expect(await ask({ maxAuthAgeMinutes: 0 })).toBe(400);
  });
});
