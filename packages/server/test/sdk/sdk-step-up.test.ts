import type { EdgeClientOptions } from '@edge-controller/sdk';
import { isEdgeApiError } from '@edge-controller/sdk';
import { createEdgeClient } from '@edge-controller/sdk/node';
import { describe, expect, it, vi } from 'vitest';
import type { ControllerOptions } from '../../src/index.ts';
import { startController, storePairs } from '../support/controller.ts';
import { maxAge } from '../support/step-up.ts';
import { readTotp, testTime } from '../support/totp.ts';

const password = 'another password of mine';

/** An administrator whose session is older than a proof may be, and the own authenticator. */
async function setUp(options: ControllerOptions, clientOptions: EdgeClientOptions = {}) {
  const time = testTime();
  const server = await startController({ ...options, clock: time.clock });
  const user = await server.addUser(await server.signIn(), { isAdmin: true });
  const edge = createEdgeClient(server.url, { caFile: server.caFile, retries: 0, ...clientOptions });
  await edge.signIn.password(user);
  const { authenticators } = await edge.management.identities.get(user.id);
  const change = () => edge.management.authenticators.patch(authenticators.updb?.id ?? '', { password });
  const signOut = () => edge.signOut();
  return {
    ...{ server, time, user, edge, change },
    [Symbol.asyncDispose]: () => signOut().then(() => server[Symbol.asyncDispose]()),
  };
}

describe.each(storePairs)('a step-up with the SDK on $stores', ({ open }) => {
  it('is an error of its own without a handler, and the session goes on', async () => {
    await using given = await setUp(await open());
    const { edge, time, change } = given;
    const ended = vi.fn();
    edge.on('expired', ended);
    await time.pass(maxAge + 1);
    const error = await change().catch((refusal: unknown) => refusal);
    expect(isEdgeApiError(error, 'STEP_UP_REQUIRED')).toBe(true);
    expect(error).toMatchObject({ status: 401, cause: { data: { proofs: ['signIn'] } } });
    expect([edge.session?.state, ended.mock.calls.length]).toEqual(['full', 0]);
    expect((await edge.client.currentIdentity.get()).name).toBe(given.user.username);
  });

  it('asks once for a code for all calls that wait, and each goes on with what it was given', async () => {
    const onStepUp = vi.fn();
    await using given = await setUp(await open(), { onStepUp });
    const { edge, time, change, user, server } = given;
    const enrollment = await edge.mfa.enroll();
    const app = readTotp(enrollment.provisioningUrl, time);
    await enrollment.verify(await app.next());
    await time.pass(maxAge + 1);
    onStepUp.mockImplementation(async () => edge.answer.totp(await app.next()));
    const before = edge.session?.id;
    await Promise.all([change(), edge.management.identities.patch(user.id, { externalId: user.id })]);
    expect(onStepUp.mock.calls).toEqual([[{ proofs: ['code', 'signIn'] }]]);
    expect(edge.session?.id).toBe(before);
    expect((await edge.management.identities.get(user.id)).externalId).toBe(user.id);
    await server.signIn({ username: user.username, password });
  });

  it('signs in anew, which ends the former session', async () => {
    const onStepUp = vi.fn();
    await using given = await setUp(await open(), { onStepUp });
    const { edge, time, change, user, server } = given;
    await time.pass(maxAge + 1);
    const before = edge.session?.id;
    onStepUp.mockImplementation(() => edge.signIn.password(user));
    const enrollment = await edge.mfa.enroll();
    expect(enrollment.secret).toMatch(/^[A-Z2-7]{32}$/);
    await change();
    expect(onStepUp).toHaveBeenCalledTimes(1);
    expect(edge.session?.id).not.toBe(before);
    const token = await server.signIn();
    await vi.waitFor(async () => {
      expect((await server.wire('GET', `/edge/management/v1/api-sessions/${before}`, { token })).status).toBe(404);
    });
  });

  it('sends no call as another identity, none after a refusal, and none twice without a proof', async () => {
    const onStepUp = vi.fn();
    await using given = await setUp(await open(), { onStepUp });
    const { edge, time, change, server, user } = given;
    const other = await server.addUser(await server.signIn());
    await time.pass(maxAge + 1);
    await expect(change()).rejects.toMatchObject({ code: 'STEP_UP_REQUIRED' });
    expect(onStepUp).toHaveBeenCalledTimes(1);
    onStepUp.mockRejectedValueOnce(new Error('not now'));
    await expect(change()).rejects.toThrow('not now');
    onStepUp.mockImplementation(() => edge.signIn.password(other));
    await expect(change()).rejects.toMatchObject({ code: 'STEP_UP_REQUIRED' });
    await edge.signIn.password(user);
  });
});
