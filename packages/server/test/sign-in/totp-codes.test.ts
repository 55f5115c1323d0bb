import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import decodeQR from 'qr/decode.js';
import { describe, expect, it } from 'vitest';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { enrollTotp, readTotp, testTime, totpPaths } from '../support/totp.ts';

const identities = '/edge/management/v1/identities';
const empty = { data: {}, meta: {} };
const onClient = totpPaths('client');

describe.each(storePairs)('TOTP and recovery codes on $stores', ({ open }) => {
  it('puts the provisioning URL into the QR code, whatever the name of the identity', async () => {
    await using server = await startController({
      ...(await open()),
      totpIssuer: 'Edge & Co',
      totpLabel: '{name}/{id}',
    });
    const admin = await server.signIn();
    for (const name of ['anna b', 'a:b/c?d=e&secret=f#g', 'snow ☃ 🎉', '🎉'.repeat(100)]) {
      const user = await server.addUser(admin);
      await server.wire('PATCH', `${identities}/${user.id}`, { token: admin, body: { name } });
      const token = await server.signIn(user);
      await server.wire('POST', onClient.mfa, { token });
      const { provisioningUrl } = (await server.wire('GET', onClient.mfa, { token })).body.data;
      const url = new URL(provisioningUrl);
      const [issuer, label = ''] = url.pathname.slice(1).split(':').map(decodeURIComponent);
      expect(issuer).toBe('Edge & Co');
      expect(`${name}/${user.id}`.startsWith(label)).toBe(true);
      if (name.length < 100) expect(label).toBe(`${name}/${user.id}`);
      expect([...url.searchParams.keys()]).toEqual(['issuer', 'secret']);
      const image = await readImage(server, token);
      expect([image.width, image.height]).toEqual([256, 256]);
      expect(decodeQR({ width: 256, height: 256, data: image.data }, { timeLimit: 5_000 })).toBe(provisioningUrl);
    }
  });

  it('takes each code once, and none of a step before the last one, also after a restart', async () => {
    const time = testTime();
    const options = { ...(await open()), clock: time.clock };
    await using first = await startController(options);
    const user = await first.addUser(await first.signIn());
    const { totp } = await enrollTotp(first.wire, await first.signIn(user), { time });
    const answer = async (server: TestController, code: string) =>
      (await server.wire('POST', onClient.answer, { token: await server.signIn(user), body: { code } })).status;

    await time.pass(120_000);
    const [earlier, present, later] = [-30_000, 0, 30_000].map((offset) => totp.at(time.now() + offset)) as [
      string,
      string,
      string,
    ];
    expect(await answer(first, present)).toBe(200);
    expect(await answer(first, present)).toBe(400);
    expect(await answer(first, earlier)).toBe(400);
    expect(await answer(first, later)).toBe(200);
    expect(await answer(first, later)).toBe(400);
    await first.controller.close();
    await using second = await startController({ ...first.options, clock: time.clock });
    expect(await answer(second, later)).toBe(400);
    expect(await answer(second, present)).toBe(400);
    await time.pass(30_000);
    // What was the later step is the present one now, and used.
    expect(await answer(second, later)).toBe(400);
    expect(await answer(second, totp.at(time.now() + 30_000))).toBe(200);
  });

  it('does not take the code that verified the enrollment for anything else', async () => {
    const time = testTime();
    await using server = await startController({ ...(await open()), clock: time.clock });
    const user = await server.addUser(await server.signIn());
    const token = await server.signIn(user);
    await server.wire('POST', onClient.mfa, { token });
    const totp = readTotp((await server.wire('GET', onClient.mfa, { token })).body.data.provisioningUrl, time);
    const body = { code: totp.at(time.now()) };
    expect((await server.wire('POST', onClient.verify, { token, body })).status).toBe(200);
    const other = await server.signIn(user);
    expect((await server.wire('POST', onClient.answer, { token: other, body })).status).toBe(400);
  });

  it('takes the codes of three steps, to the millisecond', async () => {
    const time = testTime();
    await using server = await startController({ ...(await open()), clock: time.clock, totpAttempts: 100 });
    const user = await server.addUser(await server.signIn());
    const { totp } = await enrollTotp(server.wire, await server.signIn(user), { time });
    const token = await server.signIn(user);
    const answer = async (code: string) =>
      (await server.wire('POST', onClient.answer, { token, body: { code } })).status;
    const step = Math.floor(time.now() / 30_000) * 30_000 + 300_000;
    const code = totp.at(step);
    for (const [moment, status] of [
      [step - 30_001, 400],
      [step + 60_000, 400],
      [step - 30_000, 200],
    ] as const) {
      time.set(moment);
      expect(await answer(code), String(moment - step)).toBe(status);
    }
    time.set(step + 300_000);
    const end = time.now() + 59_999;
    const last = totp.at(time.now());
    time.set(end);
    expect(await answer(last)).toBe(200);
  });

  it('compares codes byte for byte, and asks nothing for one that cannot be right', async () => {
    const time = testTime();
    await using server = await startController({ ...(await open()), clock: time.clock, totpAttempts: 3 });
    const user = await server.addUser(await server.signIn());
    const { totp, recoveryCodes } = await enrollTotp(server.wire, await server.signIn(user), { time });
    const token = await server.signIn(user);
    const code = await totp.next();
    const [recovery = ''] = recoveryCodes;
    const fullWidth = [...code].map((digit) => String.fromCharCode(0xff10 + Number(digit))).join('');
    for (const malformed of [
      ...[
        '',
        ' ',
        ` ${code}`,
        `${code} `,
        `${code}\n`,
        `0${code}`,
        code.slice(1),
        `${code.slice(0, 3)} ${code.slice(3)}`,
      ],
      ...[
        fullWidth,
        `${code}\u200b`,
        `+${code.slice(1)}`,
        '1e5'.padEnd(6),
        recovery.toLowerCase(),
        ` ${recovery}`,
        '18ABCD',
      ],
    ]) {
      const answer = await server.wire('POST', onClient.answer, { token, body: { code: malformed } });
      expect([answer.status, answer.body.error.code], JSON.stringify(malformed)).toEqual([400, 'MFA_INVALID_TOKEN']);
      expect(answer.headers['ratelimit-remaining']).toBe('3');
    }
    for (const notText of [Number(code), null, [code], { code }]) {
      expect((await server.wire('POST', onClient.answer, { token, body: { code: notText } })).status).toBe(400);
    }
    expect((await server.wire('POST', onClient.answer, { token, body: { code } })).status).toBe(200);
  });

  it('has recovery codes that are used up one by one, read with a TOTP code and replaced', async () => {
    const time = testTime();
    await using server = await startController({ ...(await open()), clock: time.clock });
    const user = await server.addUser(await server.signIn());
    const token = await server.signIn(user);
    const { totp, recoveryCodes } = await enrollTotp(server.wire, token, { time });
    const [one = '', two = '', three = '', ...others] = recoveryCodes;
    const answer = async (code: string) =>
      (await server.wire('POST', onClient.answer, { token: await server.signIn(user), body: { code } })).status;
    const read = (code?: string) =>
      server.wire('GET', onClient.recoveryCodes, {
        token,
        headers: code === undefined ? {} : { 'mfa-validation-code': code },
      });
    expect([await answer(one), await answer(one)]).toEqual([200, 400]);

    for (const refused of [undefined, totp.wrong(), two]) {
      const wrong = await read(refused);
      expect([wrong.status, wrong.body.error.code]).toEqual([400, 'MFA_INVALID_TOKEN']);
    }
    const left = await read(await totp.next());
    expect(left.status).toBe(200);
    expect(left.body.data.recoveryCodes).toEqual([two, three, ...others]);
    expect('isVerified' in left.body.data).toBe(false);

    const replace = async (code: string) => {
      const answer = await server.wire('POST', onClient.recoveryCodes, { token, body: { code } });
      expect([answer.status, answer.body]).toEqual([200, empty]);
      return (await read(await totp.next())).body.data.recoveryCodes as string[];
    };
    const [four = ''] = await replace(await totp.next());
    expect(await answer(two)).toBe(400);
    const fresh = await replace(four);
    expect(fresh).toHaveLength(20);
    expect(fresh.filter((code) => recoveryCodes.includes(code))).toEqual([]);
    expect([await answer(three), await answer(fresh[0] ?? '')]).toEqual([400, 200]);
    const removed = await server.wire('DELETE', onClient.mfa, {
      token,
      headers: { 'mfa-validation-code': fresh[1] ?? '' },
    });
    expect(removed.status).toBe(200);
  });

  it('reports what happened in events that contain no secret, and stores none in clear', async () => {
    const time = testTime();
    await using server = await startController({ ...(await open()), clock: time.clock });
    const told: [string, object][] = [];
    for (const name of ['mfa.enrolled', 'authQuery.answered', 'mfaCode.refused', 'mfa.removed'] as const) {
      server.controller.events.on(name, (payload) => told.push([name, payload]));
    }
    const user = await server.addUser(await server.signIn());
    const token = await server.signIn(user);
    const { totp, recoveryCodes, provisioningUrl } = await enrollTotp(server.wire, token, { time });
    const sent = [totp.wrong(), await totp.next(), recoveryCodes[0] ?? ''];
    for (const code of sent) await server.wire('POST', onClient.answer, { token, body: { code } });
    const removal = await totp.next();
    await server.wire('DELETE', onClient.mfa, { token, headers: { 'mfa-validation-code': removal } });
    const session = { identityId: user.id, apiSessionId: expect.any(String) };
    expect(told).toEqual([
      ['mfa.enrolled', { identityId: user.id }],
      ['mfaCode.refused', { ...session, reason: 'wrong' }],
      ['authQuery.answered', { ...session, typeId: 'MFA', kind: 'totp' }],
      ['authQuery.answered', { ...session, typeId: 'MFA', kind: 'recoveryCode' }],
      ['mfa.removed', { identityId: user.id, by: 'owner' }],
    ]);
    const secret = secretIn(provisioningUrl);
    const secrets = [secret, ...recoveryCodes, ...sent, removal];
    const payloads = JSON.stringify(told.map(([, payload]) => payload));
    for (const text of secrets) expect(payloads).not.toContain(text);

    const stored = await enrollTotp(server.wire, token, { time });
    const { dataDir = '', databaseUrl } = server.options;
    if (databaseUrl) return;
    const files = (readdirSync(dataDir, { recursive: true }) as string[])
      .map((file) => join(dataDir, file))
      .filter((file) => /\.db/.test(file) && statSync(file).isFile());
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      const bytes = readFileSync(file);
      for (const text of [secretIn(stored.provisioningUrl), ...stored.recoveryCodes, secret, ...recoveryCodes])
        expect(bytes.includes(text), file).toBe(false);
    }
  });
});

function secretIn(provisioningUrl: string): string {
  return new URL(provisioningUrl).searchParams.get('secret') ?? '';
}

async function readImage(server: TestController, token: string): Promise<PNG> {
  const answer = await server.wire('GET', onClient.qrCode, { token });
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'image/png']);
  return PNG.sync.read(answer.bytes);
}
