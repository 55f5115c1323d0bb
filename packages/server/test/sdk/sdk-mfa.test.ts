import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import type { EdgeClient, OnAuthQuery } from '@edge-controller/sdk';
import { isEdgeApiError, isEdgeAuthQueryError, isWrongCode } from '@edge-controller/sdk';
import { createEdgeClient } from '@edge-controller/sdk/node';
import { PNG } from 'pngjs';
import decodeQR from 'qr/decode.js';
import { describe, expect, it } from 'vitest';
import type { ControllerOptions } from '../../src/index.ts';
import { addPolicy, addUserUnder, requireTotp } from '../support/auth-policies.ts';
import type { TestController } from '../support/controller.ts';
import { startController, storePairs } from '../support/controller.ts';
import { readTotp, testTime } from '../support/totp.ts';

const failure = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => error,
  );

const answerWith =
  (code: string): OnAuthQuery =>
  (_query, answer) =>
    answer.totp(code);

function record(edge: EdgeClient) {
  const events: string[] = [];
  edge.on('session', ({ state }) => events.push(state));
  edge.on('expired', () => events.push('expired'));
  edge.on('signedOut', () => events.push('signedOut'));
  return events;
}

const clientOf = (server: TestController) => createEdgeClient(server.url, { caFile: server.caFile, retries: 0 });

/** A controller with a person, her client and the clock that her authenticator app goes by. */
async function setUp(options: ControllerOptions) {
  const time = testTime();
  const server = await startController({ ...options, clock: time.clock });
  const admin = await server.signIn();
  return { server, admin, time, edge: clientOf(server) };
}

/** Enrolls the identity that is signed in. */
async function enroll(edge: EdgeClient, time: ReturnType<typeof testTime>) {
  const enrollment = await edge.mfa.enroll();
  const app = readTotp(enrollment.provisioningUrl, time);
  const session = await enrollment.verify(await app.next());
  return { app, session, recoveryCodes: enrollment.recoveryCodes };
}

describe.each(storePairs)('the second factor with the SDK against $stores', ({ open }) => {
  it('is enrolled, is asked for at the next sign-in, and a wrong code may be followed by a right one', async () => {
    const { server, admin, time, edge } = await setUp(await open());
    await using _closed = server;
    const user = await server.addUser(admin);
    await edge.signIn.password(user);
    expect(await edge.mfa.isEnabled()).toBe(false);

    const halfWay = await edge.mfa.enroll();
    const enrollment = await edge.mfa.enroll();
    expect([enrollment.secret, enrollment.recoveryCodes]).toEqual([halfWay.secret, halfWay.recoveryCodes]);
    expect(enrollment.provisioningUrl).toContain(`secret=${enrollment.secret}`);
    expect(enrollment.recoveryCodes).toHaveLength(20);
    const image = await enrollment.qr();
    expect(image.type).toBe('image/png');
    const { width, height, data } = PNG.sync.read(Buffer.from(await image.arrayBuffer()));
    expect(decodeQR({ width, height, data })).toBe(enrollment.provisioningUrl);

    const app = readTotp(enrollment.provisioningUrl, time);
    expect(isWrongCode(await failure(enrollment.verify(app.wrong())))).toBe(true);
    expect(await enrollment.verify(await app.next())).toMatchObject({ state: 'full', identity: { id: user.id } });
    expect(await edge.mfa.isEnabled()).toBe(true);
    expect(isEdgeApiError(await failure(edge.mfa.enroll()), 'MFA_EXISTS')).toBe(true);
    await edge.signOut();

    const events = record(edge);
    const left: unknown[] = [];
    const asked: unknown[] = [];
    const session = await edge.signIn.password(user, {
      onAuthQuery: async (query, answer) => {
        asked.push(query);
        const refusals = [await failure(answer.totp(app.wrong())), await failure(answer.totp(app.wrong()))];
        left.push(...refusals.map((error) => isWrongCode(error) && error.attemptsRemaining), edge.session?.state);
        await answer.totp(await app.next());
      },
    });
    expect(session.state).toBe('full');
    expect(left).toEqual([9, 8, 'partial']);
    expect(asked).toMatchObject([{ typeId: 'MFA', httpUrl: './authenticate/mfa', scopes: null }]);
    expect(events).toEqual(['full']);
    expect((await edge.client.currentIdentity.get()).isMfaEnabled).toBe(true);
  });

  it('takes a recovery code in the place of a code, once, and replaces the codes', async () => {
    const { server, admin, time, edge } = await setUp(await open());
    await using _closed = server;
    const user = await server.addUser(admin);
    await edge.signIn.password(user);
    const { app, recoveryCodes } = await enroll(edge, time);
    const [first = '', second = ''] = recoveryCodes;
    expect((await edge.signIn.password(user, { onAuthQuery: answerWith(first) })).state).toBe('full');
    expect(isWrongCode(await failure(edge.signIn.password(user, { onAuthQuery: answerWith(first) })))).toBe(true);

    // Without a handler the partial session is there to go on with, and may do nothing else.
    expect((await edge.signIn.password(user)).state).toBe('partial');
    expect(isEdgeAuthQueryError(await failure(edge.client.currentIdentity.get()), 'OUTSTANDING')).toBe(true);
    expect((await edge.answer.totp(await app.next())).state).toBe('full');

    expect(await edge.mfa.recoveryCodes(await app.next())).toEqual(recoveryCodes.slice(1));
    expect(isWrongCode(await failure(edge.mfa.recoveryCodes(second)))).toBe(true);
    await edge.mfa.regenerate(second);
    const fresh = await edge.mfa.recoveryCodes(await app.next());
    expect([fresh.length, fresh.filter((code) => recoveryCodes.includes(code))]).toEqual([20, []]);

    const refused = await failure(edge.mfa.disable(app.wrong()));
    expect(refused).toMatchObject({ code: 'MFA_INVALID_TOKEN', attemptsRemaining: 9 });
    expect((await edge.mfa.disable(fresh[0])).state).toBe('full');
    expect(await edge.mfa.isEnabled()).toBe(false);
    expect((await edge.signIn.password(user, { onAuthQuery: () => expect.fail('asked') })).state).toBe('full');
  });

  it('takes codes as people type them, and judges those that no header carries', async () => {
    const { server, admin, time, edge } = await setUp(await open());
    await using _closed = server;
    const user = await server.addUser(admin);
    await edge.signIn.password(user);
    const enrollment = await edge.mfa.enroll();
    const app = readTotp(enrollment.provisioningUrl, time);
    const fullWidth = '１２３４５６';
    const refusals = [await failure(enrollment.verify(fullWidth))];
    await enrollment.verify((await app.next()).replace(/(?=...$)/, ' '));
    for (const call of [edge.answer.totp, edge.mfa.recoveryCodes, edge.mfa.regenerate, edge.mfa.disable]) {
      refusals.push(await failure(call(fullWidth)));
    }
    // What cannot be right costs no attempt.
    expect(refusals.map((error) => isWrongCode(error) && error.attemptsRemaining)).toEqual([10, 10, 10, 10, 10]);
    expect(await edge.mfa.recoveryCodes(`${await app.next()}\n`)).toHaveLength(20);
    const [first = '', second = ''] = enrollment.recoveryCodes;
    const typed = ` ${first.slice(0, 3)} ${first.slice(3)} `.toLowerCase();
    expect((await edge.signIn.password(user, { onAuthQuery: answerWith(typed) })).state).toBe('full');
    await edge.mfa.disable(`${second.toLowerCase()}\n`);
    expect(await edge.mfa.isEnabled()).toBe(false);
  });

  it('is enrolled within the partial session when the policy demands it, and an unfinished one is taken back', async () => {
    const { server, admin, time, edge } = await setUp(await open());
    await using _closed = server;
    const authPolicyId = await addPolicy(server, admin, { name: 'with TOTP', secondary: { requireTotp: true } });
    const user = await addUserUnder(server, admin, { authPolicyId });
    const enrolled = await edge.signIn.password(user, {
      onAuthQuery: async (_query, answer) => {
        expect(await failure(answer.totp('123456'))).toMatchObject({ code: 'MFA_NOT_ENROLLED' });
        expect(await edge.mfa.isEnabled()).toBe(false);
        await enroll(edge, time);
      },
    });
    expect(enrolled.state).toBe('full');
    expect(await edge.client.currentIdentity.get()).toMatchObject({ id: user.id, isMfaEnabled: true });

    const other = clientOf(server);
    await other.signIn.password(await server.addUser(admin));
    await other.mfa.enroll();
    expect((await other.mfa.disable()).state).toBe('full');
    expect(isEdgeApiError(await failure(other.mfa.disable()), 'NOT_FOUND')).toBe(true);
  });

  it('makes the session partial when the policy comes to demand it or the factor is removed', async () => {
    const { server, admin, time, edge } = await setUp(await open());
    await using _closed = server;
    const id = await addPolicy(server, admin, { name: 'may change' });
    const user = await addUserUnder(server, admin, { authPolicyId: id });
    const events = record(edge);
    await edge.signIn.password(user);
    expect(isEdgeApiError(await failure(edge.management.identities.list()), 'UNAUTHORIZED')).toBe(true);
    await requireTotp(server, admin, { id, isRequired: true });
    expect(await failure(edge.client.currentIdentity.get())).toMatchObject({
      ...{ name: 'EdgeAuthQueryError', code: 'OUTSTANDING', cause: { code: 'UNAUTHORIZED', status: 401 } },
    });
    expect(edge.session).toMatchObject({ state: 'partial', authQueries: [{ typeId: 'MFA' }] });
    const { app, session } = await enroll(edge, time);
    expect(session.state).toBe('full');
    expect((await edge.mfa.disable(await app.next())).state).toBe('partial');
    await requireTotp(server, admin, { id, isRequired: false });
    await edge.client.currentApiSession.get();
    expect(edge.session?.state).toBe('full');
    expect(events).toEqual(['full', 'partial', 'full', 'partial', 'full']);
  });

  it('leaves no session when the attempts are used up, and says how long to wait', async () => {
    const options = { ...(await open()), totpAttempts: 2, totpAttemptWindow: 60_000 };
    const { server, admin, time, edge } = await setUp(options);
    await using _closed = server;
    const user = await server.addUser(admin);
    await edge.signIn.password(user);
    const { app } = await enroll(edge, time);
    await edge.signOut();
    const events = record(edge);
    const codes: string[] = [];
    const error = await failure(
      edge.signIn.password(user, {
        onAuthQuery: async (_query, answer) => {
          for (;;) {
            codes.push(app.wrong());
            await answer.totp(app.wrong()).catch((refusal: unknown) => {
              if (!isWrongCode(refusal)) throw refusal;
            });
          }
        },
      }),
    );
    expect(error).toMatchObject({ code: 'SERVER_TOO_MANY_REQUESTS', status: 429, attemptsRemaining: 0 });
    expect(isEdgeApiError(error) && error.retryAfter).toBeGreaterThan(50);
    expect(inspect(error, { depth: 20 })).not.toContain(codes[0]);
    expect(codes).toHaveLength(3);
    expect([edge.session, events]).toEqual([null, ['expired']]);
    await time.pass(61_000);
    expect((await edge.signIn.password(user, { onAuthQuery: answerWith(await app.next()) })).state).toBe('full');
  });

  it('is asked for when reauthenticate signs in, and the calls that waited are served', async () => {
    const { server, admin, time } = await setUp(await open());
    await using _closed = server;
    const user = await server.addUser(admin);
    let code = async () => '';
    const edge: EdgeClient = createEdgeClient(server.url, {
      caFile: server.caFile,
      onAuthQuery: async (_query, answer) => answer.totp(await code()),
      reauthenticate: () => edge.signIn.password(user),
    });
    const { id } = await edge.signIn.password(user);
    const { app } = await enroll(edge, time);
    code = async () => {
      await sleep(50);
      return app.next();
    };
    await server.wire('DELETE', `/edge/management/v1/api-sessions/${id}`, { token: admin });
    const seen = await Promise.all(Array.from({ length: 10 }, () => edge.client.currentIdentity.get()));
    expect(new Set(seen.map((identity) => identity.id))).toEqual(new Set([user.id]));
    expect(edge.session).toMatchObject({ state: 'full', identity: { id: user.id } });
    expect(edge.session?.id).not.toBe(id);
  });
});
