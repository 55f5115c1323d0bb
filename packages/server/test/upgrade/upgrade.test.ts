import type { OnAuthQuery } from '@edge-controller/sdk';
import { createEdgeClient } from '@edge-controller/sdk/node';
import { describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { adminCredentials, startController } from '../support/controller.ts';
import { openOldDatabase } from '../support/old-database.ts';
import { readTotp, testTime } from '../support/totp.ts';
import {
  emptyPlace,
  longAttribute,
  makeOldDatabase,
  password,
  places,
  recoveryCodes,
  secret,
  token,
} from '../support/version-2.ts';

const clientOf = (server: TestController) => createEdgeClient(server.url, { caFile: server.caFile, retries: 0 });

describe.each(places)('an upgrade of version 2 on $stores', ({ open }) => {
  async function upgraded() {
    const time = testTime();
    const options = await emptyPlace(open);
    await makeOldDatabase(options, time.now());
    const server = await startController({ ...options, clock: time.clock });
    const admin = clientOf(server);
    await admin.signIn.password(adminCredentials);
    const signsIn = async (username: string, given = password) => {
      const signedIn = clientOf(server).signIn.password({ username, password: given });
      return signedIn.then(
        ({ identity }) => identity.id,
        (error) => error.code,
      );
    };
    return { options, server, admin, time, signsIn };
  }

  it('keeps every identity and every rule of every auth policy', async () => {
    const { server, admin, options } = await upgraded();
    await using _closed = server;
    expect(await admin.management.identities.get('anna')).toMatchObject({
      ...{ createdAt: '2024-02-03T04:05:06.789Z', name: 'name of anna', externalId: 'ext-anna', tags: { floor: 3 } },
      ...{ roleAttributes: ['blue', 'north'], appData: { a: { b: 1 } }, envInfo: { os: 'linux' }, disabled: false },
      ...{
        defaultHostingCost: 4,
        defaultHostingPrecedence: 'required',
        authenticators: { updb: { username: 'anna' } },
      },
    });
    expect(await admin.management.identities.get('bert')).toMatchObject({ disabled: true, roleAttributes: ['blue'] });
    const [strict, system] = await Promise.all(
      ['strict', 'default'].map((id) => admin.management.authPolicies.get(id)),
    );
    expect([strict?.primary, strict?.secondary]).toEqual([
      {
        cert: { allowed: false, allowExpiredCerts: false },
        extJwt: { allowed: true, allowedSigners: ['signer a', 'signer b'] },
        updb: {
          ...{ allowed: false, minPasswordLength: 17, requireSpecialChar: true, requireNumberChar: true },
          ...{ requireMixedCase: true, maxAttempts: 7, lockoutDurationMinutes: 11 },
        },
      },
      { requireTotp: true, requireExtJwtSigner: 'signer a' },
    ]);
    expect([system?.primary, system?.secondary]).toEqual([
      {
        cert: { allowed: true, allowExpiredCerts: true },
        extJwt: { allowed: false, allowedSigners: [] },
        updb: {
          ...{ allowed: true, minPasswordLength: 8, requireSpecialChar: false, requireNumberChar: false },
          ...{ requireMixedCase: false, maxAttempts: 0, lockoutDurationMinutes: 0 },
        },
      },
      { requireTotp: false },
    ]);
    await using database = await openOldDatabase(options);
    expect(await database.query('select * from outbox')).toEqual([]);
  });

  it('finds the old rows by every kind of filter', async () => {
    const { server, admin } = await upgraded();
    await using _closed = server;
    const identities = async (filter: string) =>
      (await admin.management.identities.list({ filter, sort: 'id' })).data.map(({ id }) => id);
    const policies = async (filter: string) =>
      (await admin.management.authPolicies.list({ filter, sort: 'id' })).data.map(({ id }) => id);
    expect(await identities('anyOf(roleAttributes) = "blue"')).toEqual(['anna', 'bert']);
    expect(await identities('count(roleAttributes) = 2')).toEqual(['anna', 'fred']);
    expect(await identities('anyOf(roleAttributes) = "größe"')).toEqual(['fred']);
    const { roleAttributes } = await admin.management.identities.get('fred');
    expect(roleAttributes, 'cut to the length that requests allow').toEqual([longAttribute.slice(0, 500), 'größe']);
    expect(await identities('tags.floor = 3')).toEqual(['anna']);
    expect(await identities('isEmpty(roleAttributes) and authPolicyId = "three"')).toEqual(['carl', 'cora']);
    expect(await policies('primary.updb.maxAttempts > 3')).toEqual(['strict']);
    expect(await policies('primary.updb.allowed = true')).toEqual(['default', 'three']);
    expect(await policies('secondary.requireTotp = true')).toEqual(['strict']);
    expect(await policies('secondary.requireExtJwtSigner = null')).toEqual(['default', 'three']);
  });

  it('keeps passwords and the counts of wrong ones', async () => {
    const { server, signsIn, admin } = await upgraded();
    await using _closed = server;
    expect(await signsIn('anna')).toBe('anna');
    expect(await signsIn('anna', 'another password')).toBe('INVALID_AUTH');
    expect([await signsIn('bert'), await signsIn('gina')]).toEqual(['INVALID_AUTH', 'INVALID_AUTH']);
    for (const id of ['carl', 'cora']) {
      expect(await signsIn(id, 'another password')).toBe('INVALID_AUTH');
      expect(await signsIn(id), `${id} is locked`).toBe('INVALID_AUTH');
      expect(await admin.management.identities.get(id)).toMatchObject({ disabled: true });
      await admin.management.identities.enable(id);
      expect(await signsIn(id)).toBe(id);
    }
  });

  it('does not wait for attempts that the clock of the earlier version put into the future', async () => {
    const { server, signsIn } = await upgraded();
    await using _closed = server;
    expect(await signsIn('cyra')).toBe('cyra');
  });

  it('keeps verified TOTPs, and unverified ones prove nothing', async () => {
    const { server, time, admin, signsIn } = await upgraded();
    await using _closed = server;
    const app = readTotp(`otpauth://totp/x?secret=${secret}`, time);
    const dora = clientOf(server);
    const code = await app.next();
    await dora.signIn.password({ username: 'dora', password }, { onAuthQuery: (_query, answer) => answer.totp(code) });
    expect(dora.session?.state).toBe('full');
    expect(await dora.mfa.isEnabled()).toBe(true);
    const withRecoveryCode: OnAuthQuery = (_query, answer) => answer.totp(recoveryCodes[0] ?? '');
    await clientOf(server).signIn.password({ username: 'dora', password }, { onAuthQuery: withRecoveryCode });
    expect(await signsIn('emil')).toBe('emil');
    expect(await admin.management.identities.get('emil')).toMatchObject({ isMfaEnabled: false });
    expect(await admin.management.identities.get('dora')).toMatchObject({ isMfaEnabled: true });
  });

  it('shows an old enrollment and redeems it once', async () => {
    const { server, admin, signsIn } = await upgraded();
    await using _closed = server;
    const { enrollment } = await admin.management.identities.get('fred');
    expect(enrollment.updb).toMatchObject({ id: 'enroll-fred', token, jwt: 'header.claims.signature' });
    const redeem = () => clientOf(server).enroll({ token }, { password: 'a new password of fred' });
    const redeemed = await Promise.allSettled(Array.from({ length: 5 }, redeem));
    expect(redeemed.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await expect(redeem()).rejects.toMatchObject({ code: 'USED_OR_UNKNOWN' });
    expect(await signsIn('fred', 'a new password of fred')).toBe('fred');
    expect((await admin.management.identities.get('fred')).enrollment).toEqual({});
  });
});
