import { expect, test } from 'vitest';
import { mfaController, mfaQuery } from '../../test/support/mfa-controller.ts';
import type { EdgeClient } from '../index.ts';
import { createEdgeClient, isEdgeApiError, isEdgeAuthQueryError, memoryStorage } from '../index.ts';

const alice = { username: 'alice', password: 'a password' };

const failure = (call: Promise<unknown>) =>
  call.then(
    () => expect.fail('the call succeeded'),
    (error: unknown) => error,
  );

test('a partial session from the storage stays partial, and the handler is not called', async () => {
  await using controller = await mfaController(mfaQuery);
  const storage = memoryStorage();
  await createEdgeClient(controller.url, { storage }).signIn.password(alice);
  const edge = createEdgeClient(controller.url, { storage, onAuthQuery: () => expect.fail('asked') });
  expect((await edge.restore())?.state).toBe('partial');
  const other = createEdgeClient(controller.url, { storage });
  expect((await other.answer.totp('right')).state).toBe('full');
});

test('after a refused call the client notices a session that became partial, and tells it from a missing permission', async () => {
  await using controller = await mfaController();
  const edge = createEdgeClient(controller.url, { reauthenticate: () => expect.fail('asked to sign in') });
  const events: string[] = [];
  edge.on('session', ({ state }) => events.push(state));
  await edge.signIn.password(alice);
  controller.ask(mfaQuery);
  const calls = await Promise.all(Array.from({ length: 5 }, () => failure(edge.management.identities.list())));
  expect(calls.every((error) => isEdgeAuthQueryError(error, 'OUTSTANDING'))).toBe(true);
  expect(calls[0]).toMatchObject({ cause: { name: 'EdgeApiError', code: 'UNAUTHORIZED', status: 401 } });
  expect(edge.session?.state).toBe('partial');
  expect(isEdgeApiError(await failure(edge.client.currentIdentityMfa.get()), 'UNAUTHORIZED')).toBe(true);
  expect((await edge.answer.totp('right')).state).toBe('full');
  expect(isEdgeApiError(await failure(edge.management.identities.list()), 'UNAUTHORIZED')).toBe(true);
  expect(events).toEqual(['full', 'partial', 'full']);
});

test('when reauthenticate leaves a partial session, the calls reject with OUTSTANDING', async () => {
  await using controller = await mfaController();
  const edge: EdgeClient = createEdgeClient(controller.url, { reauthenticate: () => edge.signIn.password(alice) });
  await edge.signIn.password(alice);
  controller.live.clear();
  controller.ask(mfaQuery);
  const error = await failure(edge.management.identities.list());
  expect([isEdgeAuthQueryError(error, 'OUTSTANDING'), isEdgeAuthQueryError(error, 'NO_SESSION')]).toEqual([
    true,
    false,
  ]);
  expect(controller.signIns()).toBe(2);
});

test('a late 429 of an older session does not affect the newer session', async () => {
  await using controller = await mfaController(mfaQuery);
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const edge = createEdgeClient(controller.url, {
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (response.status === 429) await released;
      return response;
    },
  });
  await edge.signIn.password(alice);
  const late = failure(edge.answer.totp('last'));
  await expect.poll(() => controller.answered).toEqual(['LAST']);
  await edge.signIn.password(alice);
  release();
  expect(await late).toMatchObject({ status: 429 });
  expect(edge.session?.id).toBe('id-of-token-2');
  expect(controller.seen.filter(({ path }) => path.endsWith('/current-api-session'))).toEqual([]);
});

test('a slow response about the session does not replace the data of a later response', async () => {
  await using controller = await mfaController(mfaQuery);
  let holdNext = false;
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const edge = createEdgeClient(controller.url, {
    fetch: async (input, init) => {
      const response = await fetch(input, init);
      if (!holdNext) return response;
      holdNext = false;
      await released;
      return response;
    },
  });
  await edge.signIn.password(alice);
  holdNext = true;
  const slow = edge.client.currentApiSession.get();
  await expect.poll(() => holdNext).toBe(false);
  await edge.answer.totp('right');
  release();
  expect((await slow).authQueries).toEqual([mfaQuery]);
  expect(edge.session?.state).toBe('full');
});
